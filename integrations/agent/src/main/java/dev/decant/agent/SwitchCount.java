package dev.decant.agent;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What the agent has seen of a program's clients, for the line that says why nothing was switched. Any thread; the
 * first class of each kind is kept.
 */
final class SwitchCount {
  private final CountDownLatch switched = new CountDownLatch(1);
  private volatile boolean isLoaded;
  private volatile @Nullable String relocated;
  private volatile @Nullable String leftAlone;
  private volatile @Nullable String passedOver;

  void switched() {
    switched.countDown();
  }

  boolean isSwitched() {
    return switched.getCount() == 0;
  }

  /** Waits until something is switched, at most for a time. */
  void await(long time, TimeUnit unit) throws InterruptedException {
    switched.await(time, unit);
  }

  /** Apache's producer or consumer was loaded. */
  void loaded() {
    isLoaded = true;
  }

  void relocated(String prefix) {
    if (relocated == null) {
      relocated = prefix;
    }
  }

  void leftAlone(String className, String reason) {
    if (leftAlone == null) {
      leftAlone = className + ": " + reason;
    }
  }

  /** A class that constructs clients is not among those to be read. */
  void passedOver(String className) {
    if (passedOver == null) {
      passedOver = className;
    }
  }

  /** Returns true if the program has classes that the agent could have switched. */
  boolean hasClients() {
    return isLoaded || leftAlone != null || passedOver != null || relocated != null;
  }

  /** Returns the likely reason. */
  String reason() {
    String alone = leftAlone;
    if (alone != null) {
      return "all were left alone, the first is " + alone;
    }
    String prefix = relocated;
    if (prefix != null) {
      return prefix + " looks like a relocated kafka-clients; name it by prefix=" + prefix;
    }
    String outside = passedOver;
    if (outside != null) {
      return outside + " constructs clients, and is not among the classes of include and exclude";
    }
    return isLoaded
        ? "kafka-clients was loaded, and no class that constructs its clients by name"
        : "no class constructs a KafkaProducer or KafkaConsumer, and no kafka-clients was loaded";
  }
}
