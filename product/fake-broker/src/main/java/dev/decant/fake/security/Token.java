package dev.decant.fake.security;

/**
 * Whose a token is.
 *
 * @param user the user
 * @param expiresAtMillis when it expires, in milliseconds of the cluster's time since the epoch
 */
record Token(String user, long expiresAtMillis) {}
