package dev.decant.event;

import org.jspecify.annotations.Nullable;

/**
 * One event of a domain, with the listeners that receive it. The firing code first calls {@link #listeners()}: one load
 * and one branch while there is no listener. Only with a listener does it compute the event's arguments or read a
 * clock.
 *
 * <pre>
 * ConnectionListener[] listeners = connected.listeners();
 * if (listeners != null) {
 *   tell(listeners, ...);
 * }
 * </pre>
 *
 * <p>Any thread. Made by {@link Listeners#event}.
 *
 * @param <L> the listener interface
 */
public final class Event<L> {
  final String method;
  /** The listeners, in the order of adding. The array is replaced as a whole, never changed. */
  volatile L @Nullable [] listeners;

  Event(String method) {
    this.method = method;
  }

  /**
   * Returns the listeners of this event.
   *
   * @return an array that must not be changed; null if there is no listener
   */
  public L @Nullable [] listeners() {
    return listeners;
  }
}
