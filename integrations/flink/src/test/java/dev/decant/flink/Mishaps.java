package dev.decant.flink;

import dev.decant.testkit.BrokerNode;
import dev.decant.testkit.KafkaCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.runtime.minicluster.MiniCluster;

/**
 * What goes wrong during a round: at points that a seed chooses, a subtask fails, its JVM seems to be gone, a task
 * manager ends, or a broker is killed. The points are before and after each step of the two phases.
 */
final class Mishaps {
  private static final Duration RESTART = Duration.ofSeconds(60);
  /** How many points go by before the first mishap, at most; two subtasks pass more with a single checkpoint. */
  private static final int FIRST = 10;
  /** How many points go by between two mishaps, at most. */
  private static final int FARTHEST = 30;

  enum Kind {
    /** The subtask fails, and Flink closes its writer and committer in good order. */
    FAILURE,
    /** The subtask fails, and nothing of it is closed: as if its JVM were gone. */
    LOSS,
    TASK_MANAGER,
    BROKER
  }

  /** The subtask fails on purpose. */
  static final class Mishap extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Mishap(String where) {
      super("on purpose: " + where);
    }
  }

  private final Random random;
  private final KafkaCluster kafka;
  private final MiniCluster flink;
  private final List<String> log = new ArrayList<>();
  private final List<CompletableFuture<Void>> repairs = new ArrayList<>();
  private CompletableFuture<Void> replaced = CompletableFuture.completedFuture(null);
  private int left;
  private int pointsToGo;
  /** The number of the task manager that ends next. They are numbered in the order of their starts. */
  private int oldestTaskManager;

  Mishaps(long seed, int count, KafkaCluster kafka, Job job, int oldestTaskManager) {
    this.random = new Random(seed);
    this.kafka = kafka;
    this.flink = job.cluster();
    this.left = count;
    this.oldestTaskManager = oldestTaskManager;
    this.pointsToGo = 1 + random.nextInt(FIRST);
  }

  /** A step begins or has ended. Any thread; returns false if the writer or committer is to be lost, not closed. */
  synchronized boolean at(String point) {
    if (left == 0 || --pointsToGo > 0) {
      return true;
    }
    left--;
    pointsToGo = 1 + random.nextInt(FARTHEST);
    Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
    log.add(kind + " " + point);
    switch (kind) {
      case FAILURE -> throw new Mishap(point);
      case LOSS -> {
        return false;
      }
      case TASK_MANAGER -> {
        int number = oldestTaskManager++;
        replaced = replaced.thenRunAsync(() -> replaceTaskManager(number)); // Flink hangs if one starts as another ends
        repairs.add(replaced);
      }
      case BROKER -> {
        BrokerNode node = kafka.node(1 + random.nextInt(3));
        if (repairs.stream().allMatch(CompletableFuture::isDone)) { // never two brokers at once
          node.kill();
          repairs.add(CompletableFuture.runAsync(() -> node.restart(RESTART)));
        }
      }
    }
    return true;
  }

  private void replaceTaskManager(int number) {
    try {
      flink.terminateTaskManager(number).get(RESTART.toSeconds(), TimeUnit.SECONDS);
      flink.startTaskManager();
    } catch (Exception e) {
      throw new IllegalStateException("task manager " + number, e);
    }
  }

  /** Waits until all that was ended runs again. */
  void repair() throws Exception {
    List<CompletableFuture<Void>> all;
    synchronized (this) {
      all = List.copyOf(repairs);
    }
    for (CompletableFuture<Void> each : all) {
      each.get(RESTART.toSeconds(), TimeUnit.SECONDS);
    }
  }

  synchronized int oldestTaskManager() {
    return oldestTaskManager;
  }

  synchronized List<String> log() {
    return List.copyOf(log);
  }
}
