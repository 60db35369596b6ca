package dev.decant.lab.server;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The kinds of servers. */
public enum ServerKind {
  /** The lab's own: a virtual thread for each connection, blocking sockets, nothing else. */
  MINIMAL(true),
  /** {@code io.github.robaho:httpserver}, made for virtual threads. */
  ROBAHO(true),
  /** The JDK's {@code com.sun.net.httpserver}, with a virtual thread for each exchange. */
  JDK(true),
  /** The lab's own: selectors, nothing else. */
  SELECTOR(false),
  /** Netty's HTTP codec on its NIO event loops. */
  NETTY(false);

  private final boolean virtualThreads;

  ServerKind(boolean virtualThreads) {
    this.virtualThreads = virtualThreads;
  }

  /**
   * Returns the server of a name.
   *
   * @param name as in {@link #names}
   * @return the kind of server
   * @throws IllegalArgumentException if no server has that name
   */
  public static ServerKind of(String name) {
    return valueOf(name.toUpperCase(Locale.ROOT));
  }

  /**
   * Returns all names.
   *
   * @return in the order of declaration
   */
  public static List<String> names() {
    return Arrays.stream(values()).map(ServerKind::label).toList();
  }

  /**
   * Returns the name for people.
   *
   * @return in lower case
   */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns true if requests run on virtual threads.
   *
   * @return false for requests on NIO event loops
   */
  public boolean onVirtualThreads() {
    return virtualThreads;
  }
}
