package dev.decant.event;

import org.jspecify.annotations.Nullable;

/**
 * One event of a domain, and who wants to know of it. The firing code asks {@link #listeners()} first: one load and one
 * branch while nobody listens, and only then computes what to tell or reads a clock.
 *
 * <pre>
 * ConnectionListener[] told = connected.listeners();
 * if (told != null) {
 *   tell(told, ...);
 * }
 * </pre>
 *
 * <p>Any thread; made by {@link Listeners#event}.
 *
 * @param <L> the listener interface
 */
public final class Event<L> {
  final String method;
  /** Replaced as a whole, never changed. */
  volatile L @Nullable [] told;

  Event(String method) {
    this.method = method;
  }

  /**
   * The listeners.
   *
   * @return not to be changed; null for nobody
   */
  public L @Nullable [] listeners() {
    return told;
  }
}
