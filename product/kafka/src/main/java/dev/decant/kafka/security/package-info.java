/**
 * Who a client is: SASL mechanisms (RFC 4422) for connections to brokers, and the credentials that they use.
 *
 * <pre>
 *   connection: TCP -> TLS -> ApiVersions -> SaslHandshake -> SaslAuthenticate ... -> ready
 *                                            \_______ SaslExchange _______/
 * </pre>
 *
 * <p>Secrets are arrays that are given out as copies and cleared by whoever asked for them. No {@code toString},
 * message or event contains one.
 */
@NullMarked
package dev.decant.kafka.security;

import org.jspecify.annotations.NullMarked;
