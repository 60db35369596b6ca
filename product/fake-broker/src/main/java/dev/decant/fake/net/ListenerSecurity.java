package dev.decant.fake.net;

import dev.decant.fake.security.ClientSessions;
import dev.decant.tls.TlsContext;
import org.jspecify.annotations.Nullable;

/**
 * What the listeners of all brokers want of clients.
 *
 * @param sessions who the clients are
 * @param tls null for connections in the clear
 */
public record ListenerSecurity(ClientSessions sessions, @Nullable TlsContext tls) {}
