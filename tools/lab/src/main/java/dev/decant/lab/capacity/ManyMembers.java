package dev.decant.lab.capacity;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A group of many members in one JVM, on few clients: the time until each member has its partition. */
final class ManyMembers {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final int MEMBERS_OF_A_CLIENT = 100;

  private final List<KafkaClient> clients = new ArrayList<>();
  private final List<Consumer<byte[], byte[]>> members = new ArrayList<>();
  private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
  private final int partitions;
  private volatile boolean ends;
  private volatile @Nullable Consumer<byte[], byte[]> leaving;
  /** True after the member that leaves has left. The thread that polls this member only. */
  private boolean hasLeft;

  private ManyMembers(int partitions) {
    this.partitions = partitions;
  }

  static String join(String bootstrap, int size, boolean nextProtocol, Duration idle) throws Exception {
    Responses responses = new Responses();
    ManyMembers group = new ManyMembers(Math.max(size, Capacity.PARTITIONS_OF_A_TOPIC));
    Usage usage = new Usage(responses);
    for (int i = 0; i < size; i += MEMBERS_OF_A_CLIENT) {
      KafkaClient client = KafkaClient.builder(bootstrap).build();
      client.events().watchConnections(responses);
      group.clients.add(client);
    }
    for (int i = 0; i < size; i++) {
      group.members.add(group.clients.get(i / MEMBERS_OF_A_CLIENT).consumer(Serdes.bytes(), Serdes.bytes())
          .group("capacity").groupProtocol(nextProtocol ? GroupProtocol.CONSUMER : GroupProtocol.CLASSIC)
          .subscribe(Capacity.topic(0)).open());
    }
    usage.end("open");
    return group.measured(usage, responses, size, idle);
  }

  private String measured(Usage usage, Responses responses, int size, Duration idle) throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(clients.size())) {
      for (int c = 0; c < clients.size(); c++) {
        List<Consumer<byte[], byte[]>> own = members.subList(c * MEMBERS_OF_A_CLIENT,
            Math.min(size, (c + 1) * MEMBERS_OF_A_CLIENT));
        threads.execute(() -> pollInTurns(own));
      }
      try {
        awaitBalance(size);
        usage.end("join");
        usage.kept(clients.toArray(new KafkaClient[0]));
        long heartbeats = heartbeats(responses);
        usage.begin();
        TimeUnit.NANOSECONDS.sleep(idle.toNanos());
        usage.put("idle.heartbeats_s", (heartbeats(responses) - heartbeats) / (double) idle.toSeconds());
        usage.end("idle");
        if (size > 1) {
          leaving = members.getLast();
          awaitBalance(size - 1);
          usage.end("leave");
        }
        return usage.line();
      } finally {
        ends = true;
      }
    }
  }

  private static long heartbeats(Responses responses) {
    return responses.count(ApiKey.HEARTBEAT) + responses.count(ApiKey.CONSUMER_GROUP_HEARTBEAT);
  }

  /** Waits until all partitions have an owner, and each member owns one. */
  private void awaitBalance(int size) throws Exception {
    await("all partitions are owned by " + size + " members", () -> {
      int owned = 0;
      int owners = 0;
      for (Consumer<byte[], byte[]> member : members) {
        int own = member.assignment().size();
        owned += own;
        owners += own > 0 ? 1 : 0;
      }
      return owned == partitions && owners == size;
    });
  }

  private void pollInTurns(List<Consumer<byte[], byte[]>> own) {
    try {
      while (!ends) {
        for (Consumer<byte[], byte[]> member : own) {
          if (member != leaving) {
            member.poll(Duration.ZERO, one -> {});
          } else if (!hasLeft) {
            hasLeft = true;
            member.close();
          }
        }
        TimeUnit.MILLISECONDS.sleep(10);
      }
      for (Consumer<byte[], byte[]> member : own) {
        member.close();
      }
    } catch (Exception e) {
      failure.compareAndSet(null, e);
    }
  }

  private void await(String what, BooleanSupplier done) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!done.getAsBoolean()) {
      Exception failed = failure.get();
      if (failed != null) {
        throw failed;
      }
      if (deadline - System.nanoTime() < 0) {
        throw new IllegalStateException("not within " + PATIENCE.toSeconds() + " s: " + what);
      }
      TimeUnit.MILLISECONDS.sleep(10);
    }
  }
}
