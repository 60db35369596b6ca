package dev.decant.fake.api;

import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Partition;
import dev.decant.kafka.protocol.message.FetchRequest;
import dev.decant.kafka.protocol.message.FetchResponse.PartitionData;
import dev.decant.loop.Timer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A fetch that waits for bytes: it reads again whenever one of its partitions changes, and ends after its wait. */
final class PendingFetch implements Runnable {
  private final Cluster cluster;
  private final FetchRead read;
  private final Collection<FetchedPartition> wanted;
  private final int minBytes;
  private final int maxWaitMillis;
  private final Consumer<Map<FetchedPartition, PartitionData>> answer;
  private final Reply<?> reply;
  private final Timer timer = new Timer(this::finish);
  private final List<Partition> watched = new ArrayList<>();

  PendingFetch(Cluster cluster, FetchRequest request, FetchRead read, Collection<FetchedPartition> wanted,
      Consumer<Map<FetchedPartition, PartitionData>> answer, Reply<?> reply) {
    this.cluster = cluster;
    this.read = read;
    this.wanted = List.copyOf(wanted);
    this.minBytes = Math.min(request.minBytes(), read.maxBytes());
    this.maxWaitMillis = request.maxWaitMs();
    this.answer = answer;
    this.reply = reply;
  }

  void start() {
    if (maxWaitMillis <= 0 || wanted.isEmpty() || isReady()) {
      answer.accept(read.read(wanted));
      return;
    }
    for (FetchedPartition one : wanted) {
      Partition partition = read.find(one);
      if (partition != null) {
        partition.watch(this);
        watched.add(partition);
      }
    }
    cluster.schedule(timer, maxWaitMillis);
  }

  private boolean isReady() {
    long bytes = 0;
    for (FetchedPartition one : wanted) {
      long readable = read.readable(one);
      if (readable < 0) {
        return true;
      }
      bytes += readable;
    }
    return bytes >= minBytes;
  }

  /** Reads again after a change of one of the partitions. */
  @Override
  public void run() {
    if (isReady()) {
      finish();
    }
  }

  private void finish() {
    cluster.cancel(timer);
    watched.forEach(partition -> partition.unwatch(this));
    reply.attempt(() -> answer.accept(read.read(wanted)));
  }
}
