package dev.decant.carriers;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Lowers the native priority of this JVM's carrier threads, which run virtual threads. Other threads (pollers,
 * garbage collectors, an event loop) then get a processor before them. Java's own priorities do not do that: on Linux
 * the JVM ignores them by default. Measure the effect on your load with {@code decant carriers}.
 *
 * {@snippet :
 * PriorityReport report = CarrierPriority.ofThisJvm().lower(5);
 * if (!report.isComplete()) {
 *   log(report.obstacle(), report.carriers());
 * }
 * }
 *
 * <p>It works on Linux, with native access ({@code --enable-native-access=dev.decant.carriers}, or
 * {@code ALL-UNNAMED} on the class path). Elsewhere each call changes nothing and reports why.
 *
 * <p>Before use:
 * <ul>
 * <li>The JDK starts carrier threads when they are needed. Those that do not exist yet are not changed, and none exists
 * before the first virtual thread has run. Call {@link #lower} again later; it changes only new carriers.
 * <li>On Linux a thread inherits the nice value of the thread that starts it. A platform thread that code on a lowered
 * carrier starts has the lowered priority. {@link #restore} does not raise it: start long-lived platform threads
 * elsewhere.
 * <li>Lowering is always permitted. Raising needs {@code CAP_SYS_NICE} or a sufficient {@code RLIMIT_NICE}; without
 * it, {@link #restore} leaves the carriers low and reports each of them.
 * <li>The priority counts among all threads of the same control group. Other processes of the container, or of the
 * machine, also get their turn before a lowered carrier.
 * </ul>
 *
 * <p>Threads: any; calls exclude each other.
 */
public final class CarrierPriority {
  private static final int LOWEST = 19;

  private final CarrierFinder finder;
  private final @Nullable ThreadPriorities priorities;
  private final String obstacle;
  /** Nice values by thread number of the carriers that {@link #lower} has changed. Guarded by this. */
  private final Map<Integer, Integer> originals = new HashMap<>();
  /** The nice value of a carrier before the first change; empty while none is changed. Guarded by this. */
  private OptionalInt originalNice = OptionalInt.empty();

  /** Takes either priorities and no obstacle, or an obstacle alone. */
  CarrierPriority(CarrierFinder finder, @Nullable ThreadPriorities priorities, String obstacle) {
    this.finder = finder;
    this.priorities = priorities;
    this.obstacle = obstacle;
  }

  /**
   * Prepares the change of this JVM's carriers. It changes nothing yet, and prints nothing if native access is not
   * granted.
   *
   * @return the carriers' priority; the report of its first call says whether the change is supported
   */
  public static CarrierPriority ofThisJvm() {
    Module module = CarrierPriority.class.getModule();
    return of(System.getProperty("os.name", "unknown"), module.isNativeAccessEnabled(),
        module.isNamed() ? module.getName() : "ALL-UNNAMED", LinuxPriorities::new);
  }

  static CarrierPriority of(String system, boolean nativeAccess, String module, Callable<ThreadPriorities> binding) {
    CarrierFinder finder = CarrierFinder.ofThisJvm();
    if (!system.toLowerCase(Locale.ROOT).startsWith("linux")) {
      return new CarrierPriority(finder, null,
          "not supported on " + system + ": a priority per thread is there on Linux only");
    }
    if (!nativeAccess) { // without it, binding prints a warning or throws
      return new CarrierPriority(finder, null,
          "not supported without native access: start the JVM with --enable-native-access=" + module);
    }
    try {
      return new CarrierPriority(finder, binding.call(), "");
    } catch (IllegalCallerException | NoSuchElementException | UnsupportedOperationException e) {
      return new CarrierPriority(finder, null, "not supported by this JVM or its C library: " + e.getMessage());
    } catch (Exception e) {
      throw new IllegalStateException("binding throws nothing else", e);
    }
  }

  /**
   * Lowers all carrier threads that exist now, and reads their nice values back. It raises none: a carrier that has
   * this priority or a lower one keeps it.
   *
   * @param nice 1 (a little lower than normal) to 19 (lowest)
   * @return each carrier, or the obstacle
   * @throws IllegalArgumentException when nice is out of range
   */
  public synchronized PriorityReport lower(int nice) {
    if (nice < 1 || nice > LOWEST) {
      throw new IllegalArgumentException("nice must be 1 to " + LOWEST + ", not " + nice);
    }
    return forEachCarrier((id, before) -> {
      if (before < nice) {
        originals.putIfAbsent(id, before);
        originalNice = originalNice.isPresent() ? originalNice : OptionalInt.of(before);
      }
      return Math.max(before, nice);
    });
  }

  /**
   * Restores the priority that the carrier threads had before the first {@link #lower}. A carrier that a lowered
   * carrier has started began low, and gets the original priority of the others. Carriers that cannot be raised are
   * reported with the reason, and the next call tries them again.
   *
   * @return each carrier, or the obstacle
   */
  public synchronized PriorityReport restore() {
    PriorityReport report = forEachCarrier(
        (id, before) -> Math.min(before, originals.getOrDefault(id, originalNice.orElse(before))));
    if (report.isComplete()) {
      originals.clear();
      originalNice = OptionalInt.empty();
    }
    return report;
  }

  private PriorityReport forEachCarrier(Target target) {
    ThreadPriorities system = priorities;
    if (system == null) {
      return new PriorityReport(obstacle, List.of());
    }
    Map<Integer, String> carriers;
    try {
      carriers = finder.find();
    } catch (IOException e) {
      return new PriorityReport("the carrier threads cannot be told from others: " + e.getMessage(), List.of());
    }
    originals.keySet().retainAll(carriers.keySet()); // the system reuses the number of an ended thread
    List<CarrierThread> done = new ArrayList<>();
    carriers.forEach((id, name) -> done.add(change(system, id, name, target)));
    return new PriorityReport("", done);
  }

  private static CarrierThread change(ThreadPriorities system, int id, String name, Target target) {
    int before = 0;
    try {
      before = system.nice(id);
      int wanted = target.of(id, before);
      String refusal = wanted == before ? "" : attempt(system, id, wanted);
      int now = system.nice(id);
      String problem = now == wanted ? "" : refusal.isEmpty() ? "it reads back as nice " + now : refusal;
      return new CarrierThread(id, name, before, now, problem);
    } catch (IOException e) {
      return new CarrierThread(id, name, before, before, String.valueOf(e.getMessage()));
    }
  }

  private static String attempt(ThreadPriorities system, int id, int nice) {
    try {
      system.setNice(id, nice);
      return "";
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /** Returns the nice value that a carrier shall have. */
  @FunctionalInterface
  private interface Target {
    int of(int threadId, int before);
  }
}
