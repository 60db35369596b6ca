package dev.decant.fix;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How an initiator connects.
 *
 * @param hosts at least one, in the order of the attempts
 * @param localAddress null if the system chooses it
 * @param minDelay before the second attempt
 * @param maxDelay the longest delay before an attempt
 * @param connectTimeout how long an attempt may take
 * @param startsLoggedOut true if the session connects only after an operator's logon
 */
record ReconnectSettings(List<InetSocketAddress> hosts, @Nullable InetSocketAddress localAddress, Duration minDelay,
    Duration maxDelay, Duration connectTimeout, boolean startsLoggedOut) {}
