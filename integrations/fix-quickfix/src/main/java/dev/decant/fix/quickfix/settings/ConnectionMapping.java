package dev.decant.fix.quickfix.settings;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The addresses that a session connects to, or is accepted at. */
final class ConnectionMapping {
  /** The default of QuickFIX/J. */
  private static final Duration DEFAULT_DELAY = Duration.ofSeconds(5);
  private static final String PORT = "a port, from 0 to 65535";

  /**
   * The delays of an initiator between attempts to connect.
   *
   * @param min the delay after the first failure
   * @param max the longest delay
   */
  record Delays(Duration min, Duration max) {}

  private ConnectionMapping() {}

  /** Returns the hosts of an initiator in their order, with names that are not resolved. */
  static List<InetSocketAddress> hosts(Section section) {
    List<InetSocketAddress> hosts = new ArrayList<>();
    for (int i = 0; i == 0 || section.has("SocketConnectHost" + i) || section.has("SocketConnectPort" + i); i++) {
      String suffix = i == 0 ? "" : Integer.toString(i);
      String host = section.value("SocketConnectHost" + suffix);
      int port = port(section, "SocketConnectPort" + suffix, -1);
      if (host == null || port < 0) {
        throw new IllegalArgumentException(
            "SocketConnectHost" + suffix + " or SocketConnectPort" + suffix + " is missing: an initiator needs both");
      }
      hosts.add(InetSocketAddress.createUnresolved(host, port));
    }
    return hosts;
  }

  static @Nullable InetSocketAddress localAddress(Section section) {
    String host = section.value("SocketLocalHost");
    int port = port(section, "SocketLocalPort", 0);
    if (host == null) {
      return port == 0 ? null : new InetSocketAddress(port);
    }
    return new InetSocketAddress(host, port);
  }

  static Duration connectTimeout(Section section) {
    int seconds = section.number("SocketConnectTimeout", 0);
    return seconds <= 0 ? Duration.ofSeconds(10) : Duration.ofSeconds(seconds);
  }

  /** Returns where an acceptor listens: on all addresses if none is set. */
  static InetSocketAddress acceptAddress(Section section) {
    int port = port(section, "SocketAcceptPort", -1);
    if (port < 0) {
      throw new IllegalArgumentException("SocketAcceptPort is missing: an acceptor needs it");
    }
    String host = section.value("SocketAcceptAddress");
    return host == null ? new InetSocketAddress(port) : new InetSocketAddress(host, port);
  }

  /** Parses QuickFIX/J's list of delays, such as {@code 3x5;60}: three times 5 s, then 60 s. */
  static Delays delays(Section section) {
    return section.read("ReconnectInterval", new Delays(DEFAULT_DELAY, DEFAULT_DELAY),
        "seconds, or a list such as 3x5;60", text -> {
          List<Integer> seconds = new ArrayList<>();
          for (String part : text.split("[;,\\s]+", 0)) {
            seconds.add(Math.max(1, Integer.parseInt(part.substring(part.indexOf('x') + 1))));
          }
          int first = seconds.getFirst();
          return new Delays(Duration.ofSeconds(first),
              Duration.ofSeconds(seconds.stream().mapToInt(Integer::intValue).max().orElse(first)));
        });
  }

  private static int port(Section section, String name, int ifAbsent) {
    return section.read(name, ifAbsent, PORT, text -> {
      int port = Integer.parseInt(text);
      if (port < 0 || port > 65_535) {
        throw new IllegalArgumentException();
      }
      return port;
    });
  }
}
