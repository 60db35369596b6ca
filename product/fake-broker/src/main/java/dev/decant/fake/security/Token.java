package dev.decant.fake.security;

/**
 * The content of a token.
 *
 * @param user user of the token
 * @param expiresAtMillis end of its validity, in milliseconds of the cluster's time since the epoch
 */
record Token(String user, long expiresAtMillis) {}
