/**
 * The client's identity: SASL mechanisms (RFC 4422) for connections to brokers, and their credentials.
 *
 * <pre>
 *   connection: TCP -> TLS -> ApiVersions -> SaslHandshake -> SaslAuthenticate ... -> ready
 *                                            \_______ SaslExchange _______/
 * </pre>
 *
 * <p>Secrets are arrays. Methods return copies of them, which their callers clear. No {@code toString}, message or
 * event contains one.
 */
@NullMarked
package dev.decant.kafka.security;

import org.jspecify.annotations.NullMarked;
