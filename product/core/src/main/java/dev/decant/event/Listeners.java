package dev.decant.event;

import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The listeners of one domain. When a listener is added, its overridden methods are found. It does not receive events
 * whose empty default it keeps, and these cost as little as without a listener.
 *
 * <p>The domain defines its events before the first listener is added; after that, any thread may call all methods.
 *
 * @param <L> an interface whose methods all have empty defaults and different names
 */
public final class Listeners<L> {
  private final Class<L> type;
  private final List<Event<L>> events = new ArrayList<>();

  /**
   * Makes a domain without events.
   *
   * @param type the listener interface
   */
  public Listeners(Class<L> type) {
    if (!type.isInterface()) {
      throw new IllegalArgumentException(type.getName() + " is not an interface");
    }
    this.type = type;
  }

  /**
   * Defines an event.
   *
   * @param method name of the interface's method
   * @return the event
   * @throws IllegalArgumentException when the interface has no such default method, or several
   */
  public Event<L> event(String method) {
    method(method);
    Event<L> event = new Event<>(method);
    synchronized (this) {
      events.add(event);
    }
    return event;
  }

  private Method method(String name) {
    Method found = null;
    for (Method m : type.getMethods()) {
      if (m.getName().equals(name)) {
        if (found != null || !m.isDefault()) {
          throw new IllegalArgumentException(type.getName() + " must have one default method " + name);
        }
        found = m;
      }
    }
    if (found == null) {
      throw new IllegalArgumentException(type.getName() + " has no method " + name);
    }
    return found;
  }

  /**
   * Adds a listener.
   *
   * @param listener receives the events whose methods it overrides, after listeners that were added earlier
   * @return the registration, which removes the listener
   * @throws IllegalArgumentException when the listener overrides no method: it could never receive an event
   */
  public synchronized Registration add(L listener) {
    List<Event<L>> overridden = events.stream().filter(e -> overrides(listener, e.method)).toList();
    if (overridden.isEmpty()) {
      throw new IllegalArgumentException(listener.getClass().getName() + " overrides no method of "
          + type.getSimpleName() + ", so it could not be told of anything");
    }
    overridden.forEach(e -> e.listeners = with(e.listeners, listener));
    return new Addition(listener, overridden);
  }

  private boolean overrides(L listener, String method) {
    Method declared = method(method);
    try {
      return listener.getClass().getMethod(method, declared.getParameterTypes()).getDeclaringClass() != type;
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException("a class has all methods of its interfaces", e);
    }
  }

  @SuppressWarnings("unchecked") // an array of the very interface
  private L[] with(L @Nullable [] before, L listener) {
    int length = before == null ? 0 : before.length;
    L[] after = (L[]) Array.newInstance(type, length + 1);
    if (before != null) {
      System.arraycopy(before, 0, after, 0, length);
    }
    after[length] = listener;
    return after;
  }

  @SuppressWarnings({"unchecked", "ReferenceEquality"}) // the very listener, not one that calls itself equal
  private L @Nullable [] without(L @Nullable [] before, L listener) {
    List<L> after = new ArrayList<>(before == null ? List.of() : List.of(before));
    for (int i = 0; i < after.size(); i++) {
      if (after.get(i) == listener) {
        after.remove(i);
        break;
      }
    }
    return after.isEmpty() ? null : after.toArray((L[]) Array.newInstance(type, after.size()));
  }

  /** One call of {@link #add}. */
  private final class Addition implements Registration {
    private final L listener;
    private List<Event<L>> overridden;

    Addition(L listener, List<Event<L>> overridden) {
      this.listener = listener;
      this.overridden = overridden;
    }

    @Override
    public void close() {
      synchronized (Listeners.this) {
        overridden.forEach(e -> e.listeners = without(e.listeners, listener));
        overridden = List.of();
      }
    }
  }
}
