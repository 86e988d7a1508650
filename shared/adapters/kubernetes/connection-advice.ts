/** What to look at when the API server cannot be reached, by the code of the error of Node's network or TLS. */
export function connectionAdvice(code: string): string {
  if (nameErrors.has(code)) {
    return (
      "The name of the cluster's endpoint has no address here. Check that the cluster still exists, and with a private endpoint that " +
      "the function is in the cluster's VPC and that this VPC has DNS resolution and DNS hostnames turned on"
    );
  }
  if (code === "ETIMEDOUT" || code === "EHOSTUNREACH" || code === "ENETUNREACH") {
    return (
      "Nothing answers at the cluster's endpoint. If it is private, check that the function has a VPC configuration with subnets that " +
      "reach the cluster's, and that the cluster's security group lets in TCP 443 from the function's. If it is public, check that its " +
      "public access CIDRs contain the address that the function goes out by, and that subnets in a VPC have a NAT gateway"
    );
  }
  if (code === "ECONNREFUSED") return "Nobody listens there. Check that the cluster exists and is ACTIVE";
  if (isTlsError(code)) {
    return "The server is not known by the cluster's certificate authority. Check the endpoint and the CA that the function was given";
  }
  return "Check the function's network and the cluster's endpoint access";
}

const nameErrors: ReadonlySet<string> = new Set(["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "EAI_NODATA"]);

/** Node's and OpenSSL's codes: CERT_HAS_EXPIRED, UNABLE_TO_VERIFY_LEAF_SIGNATURE, ERR_TLS_CERT_ALTNAME_INVALID, EPROTO and their like. */
function isTlsError(code: string): boolean {
  return /CERT|VERIFY|SIGNATURE|ISSUER|^ERR_TLS|^ERR_SSL|^EPROTO$/.test(code);
}
