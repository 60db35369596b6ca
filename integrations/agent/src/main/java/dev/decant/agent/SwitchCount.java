package dev.decant.agent;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Counts the program's clients that the agent has met, for the line that says why none was switched. It keeps the first
 * class of each kind. Any thread.
 */
final class SwitchCount {
  private final CountDownLatch switched = new CountDownLatch(1);
  private volatile boolean isLoaded;
  private volatile @Nullable String relocated;
  private volatile @Nullable String keptOnApache;
  private volatile @Nullable String excluded;

  void switched() {
    switched.countDown();
  }

  boolean isSwitched() {
    return switched.getCount() == 0;
  }

  /** Waits until a client is switched, at most for a time. */
  void await(long time, TimeUnit unit) throws InterruptedException {
    switched.await(time, unit);
  }

  /** Notes that Apache's producer or consumer was loaded. */
  void loaded() {
    isLoaded = true;
  }

  void relocated(String prefix) {
    if (relocated == null) {
      relocated = prefix;
    }
  }

  void keptOnApache(String className, String reason) {
    if (keptOnApache == null) {
      keptOnApache = className + ": " + reason;
    }
  }

  /** Notes a class that constructs clients but is excluded. */
  void excluded(String className) {
    if (excluded == null) {
      excluded = className;
    }
  }

  /** Returns true if the program has classes that the agent could have switched. */
  boolean hasClients() {
    return isLoaded || keptOnApache != null || excluded != null || relocated != null;
  }

  /** Returns the likely reason why no client was switched. */
  String reason() {
    String alone = keptOnApache;
    if (alone != null) {
      return "all were left alone, the first is " + alone;
    }
    String prefix = relocated;
    if (prefix != null) {
      return prefix + " looks like a relocated kafka-clients; name it by prefix=" + prefix;
    }
    String outside = excluded;
    if (outside != null) {
      return outside + " constructs clients, and is not among the classes of include and exclude";
    }
    return isLoaded
        ? "kafka-clients was loaded, and no class that constructs its clients by name"
        : "no class constructs a KafkaProducer or KafkaConsumer, and no kafka-clients was loaded";
  }
}
