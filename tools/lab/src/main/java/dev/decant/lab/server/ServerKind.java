package dev.decant.lab.server;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Which servers there are. */
public enum ServerKind {
  /** Ours: a virtual thread per connection, blocking sockets, nothing else. */
  MINIMAL(true),
  /** {@code io.github.robaho:httpserver}, made for virtual threads. */
  ROBAHO(true),
  /** The JDK's {@code com.sun.net.httpserver}, with a virtual thread per exchange. */
  JDK(true),
  /** Ours: selectors, nothing else. */
  SELECTOR(false),
  /** Netty's HTTP codec on its NIO event loops. */
  NETTY(false);

  private final boolean virtualThreads;

  ServerKind(boolean virtualThreads) {
    this.virtualThreads = virtualThreads;
  }

  /**
   * Finds one by its name.
   *
   * @param name as in {@link #names}
   * @return which
   * @throws IllegalArgumentException when there is none
   */
  public static ServerKind of(String name) {
    return valueOf(name.toUpperCase(Locale.ROOT));
  }

  /**
   * All names.
   *
   * @return in the order of declaration
   */
  public static List<String> names() {
    return Arrays.stream(values()).map(ServerKind::label).toList();
  }

  /**
   * Its name for people.
   *
   * @return lower case
   */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Tells whether requests run on virtual threads.
   *
   * @return false for those on NIO event loops
   */
  public boolean onVirtualThreads() {
    return virtualThreads;
  }
}
