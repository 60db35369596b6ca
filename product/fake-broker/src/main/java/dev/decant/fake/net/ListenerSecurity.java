package dev.decant.fake.net;

import dev.decant.fake.security.ClientSessions;
import dev.decant.tls.TlsContext;
import org.jspecify.annotations.Nullable;

/**
 * The security of all brokers' listeners.
 *
 * @param sessions logins and rights of the clients
 * @param tls encrypts connections; null for plain ones
 */
public record ListenerSecurity(ClientSessions sessions, @Nullable TlsContext tls) {}
