/**
 * Every metric that Journeyman counts. Karpenter's own names where it counts the same thing (karpenter-core §9, karpenter-aws §9),
 * so that dashboards survive the change; the others start with `journeyman_`.
 */
export const metric = {
  nodeClaimsCreated: "karpenter_nodeclaims_created_total",
  nodeClaimsTerminated: "karpenter_nodeclaims_terminated_total",
  nodeClaimsDisrupted: "karpenter_nodeclaims_disrupted_total",
  nodesCreated: "karpenter_nodes_created_total",
  nodesTerminated: "karpenter_nodes_terminated_total",
  nodesDrained: "karpenter_nodes_drained_total",
  podsDrained: "karpenter_pods_drained_total",
  evictionRequests: "karpenter_pods_eviction_requests_total",
  unschedulablePods: "karpenter_scheduler_unschedulable_pods_count",
  /** With the dimension `zone`: a zone's name, `flexible` or `none`. */
  pendingPodsByZone: "karpenter_scheduler_pending_pods_by_effective_zone_count",
  disruptionDecisions: "karpenter_voluntary_disruption_decisions_total",
  launchFailures: "karpenter_cloudprovider_instance_launch_failures_total",
  /** Errors of EC2 that are not in our table, with the dimension `code`. */
  unknownErrors: "journeyman_unknown_ec2_errors_total",
  /** NodePools that are left alone for a while, because their launches fail. */
  breakersOpened: "journeyman_launch_breakers_opened_total",
  terminationFailures: "karpenter_cloudprovider_instance_termination_failures_total",
  interruptionMessages: "karpenter_interruption_received_messages_total",
  /** Passes of a controller that threw. */
  passFailures: "journeyman_pass_failures_total",
  /** Queue messages that are no hint and go to a dead-letter queue. */
  malformedMessages: "journeyman_malformed_messages_total",
  /** Looks at the webhook that it did not answer, and those at which nothing was sent to it any more (design §4.7). */
  webhookSilent: "journeyman_webhook_silent_total",
  webhookPaused: "journeyman_webhook_paused_total",
  /** Objects left out of a list because they break our schema. */
  undecodableObjects: "journeyman_undecodable_objects_total",
  /** Instances that belong to no NodeClaim, collected. */
  orphansCollected: "journeyman_orphans_collected_total",
  /** Events about instances that are not ours. */
  foreignEvents: "journeyman_foreign_events_total",
  /** Events on pods that could not be written. */
  eventFailures: "journeyman_event_failures_total",
  /** Nominations of pods to nodes that could not be written. */
  nominationFailures: "journeyman_nomination_failures_total",
  /** Launching stopped at a cluster-wide limit (design rule 9), with the dimension `limit`: the setting's name, or `collection`. */
  limitReached: "journeyman_limit_reached_total",
  /** How old what is known of EC2 is, with the dimension `part`. */
  catalogAgeSeconds: "journeyman_catalog_age_seconds",
  /** Parts of the catalog that could not be read again, with the dimension `part`. */
  catalogFailures: "journeyman_catalog_failures_total",
  /** Questions for spot placement scores that were not answered, with the dimension `code`. */
  scoresWithoutSignal: "journeyman_placement_scores_without_signal_total",
  /** Invocations that did nothing, because a Karpenter runs in the cluster. */
  karpenterRuns: "journeyman_karpenter_runs_total",
  /** What the nodes of a plan would cost, and what no plan could cost less than. */
  plannedPriceUsdPerHour: "journeyman_planned_price_usd_per_hour",
  plannedLowerBoundUsdPerHour: "journeyman_planned_lower_bound_usd_per_hour",
  /** What is stored in a ConfigMap, of 1 MiB at the most, with the dimension `config_map`. */
  configMapBytes: "journeyman_config_map_bytes",
} as const;

/** The CloudWatch namespace of all of them. */
export const metricNamespace = "Journeyman";
