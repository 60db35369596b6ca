package dev.decant.kafka.producer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.cluster.TopicMetadata;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.memory.SendMemory;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.transaction.TransactionMember;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a {@link Producer} that do not depend on the types of its records, from its opening to its end.
 *
 * <p>Any thread, where not said otherwise.
 */
final class ProducerCore {
  private static final int FLUSH_SLOTS = 64;

  final ProducerState state;
  final PartitionRouter router;
  final MissingPartitions missing;
  /** Records of a producer that was opened at once; a producer with transactions keeps none. */
  final UnplacedRecords unplaced;
  final SendWaits waits;
  private final ClientInternals client;
  private final ProducerSettings settings;
  private final ProducerMemory parts;
  private final SendMemory memory;
  private final BatchMemory batchMemory;
  private final Sender sender;
  private final @Nullable TransactionMember transaction;
  private final Runnable metadataListener = this::onMetadata;
  private final RecordPlacement placement;
  private final SlotPool<FlushWait> flushWaits = new SlotPool<>(FLUSH_SLOTS, FlushWait::new);
  private final ProducerLabels labels;
  /** What the client closes with itself. */
  private final AutoCloseable producer;

  /**
   * True once what was left at the close has failed, and its listeners were called. Written by the owner of the loop,
   * read by any thread.
   */
  private volatile boolean finished;

  ProducerCore(AutoCloseable producer, ClientInternals client, ProducerSettings settings, ProducerMemory parts) {
    this.producer = producer;
    this.parts = parts;
    this.client = client;
    this.settings = settings;
    this.labels = new ProducerLabels(settings);
    this.memory = parts.records();
    this.sender = client.shared(Sender.class, () -> new Sender(client, ByteBuffer::allocateDirect));
    ChangedQueues changed = sender.changed();
    this.batchMemory = new BatchMemory(client.loop(), changed, memory, sender.spareChunks(), settings);
    Transactions transactions = settings.transactions();
    this.transaction = transactions == null
        ? null
        : transactions.session().join(settings.topic(), changed::resumeAll);
    ProducerIdentity identity = settings.idempotent() && transactions == null
        ? sender.identities().of(settings.topic())
        : null;
    this.state = new ProducerState(sender.topics().open(settings.topic()), settings, batchMemory, identity,
        parts.compression(), transaction);
    this.router = new PartitionRouter(sender, state, client.telemetry().producer());
    this.missing = new MissingPartitions(client, settings, state, router);
    this.unplaced = new UnplacedRecords(client, settings, transaction == null ? memory.pool().maxBytes() : 0);
    this.placement = new RecordPlacement(client, state, router, unplaced, this::onMetadata);
    this.waits = new SendWaits(client, state, router, memory, missing, unplaced);
  }

  /** Takes the known metadata of the topic, and listens to changes. */
  void start() {
    client.register(producer);
    TopicMetadata topic = client.cluster().snapshot().topic(settings.topic());
    if (topic != null && topic.error() == ErrorCode.NONE) {
      router.open(router.grown(topic.partitions().size()));
      router.update(topic, client.cluster().snapshot());
      router.beginTurns();
    }
    client.loop().execute(() -> {
      client.cluster().onChange(metadataListener);
      onMetadata();
    });
    client.pushSources().add(labels);
    if (parts.directBytes() != ProducerMemory.SHARED) {
      client.addDirectMemory(parts.directBytes());
    }
  }

  /** Number of partitions that take records; 0 before they are known. */
  int partitions() {
    return router.queues().length;
  }

  private void onMetadata() {
    TopicMetadata topic = client.cluster().snapshot().topic(settings.topic());
    if (topic == null || topic.error() != ErrorCode.NONE) {
      return;
    }
    router.update(topic, client.cluster().snapshot());
    int partitions = topic.partitions().size();
    int known = router.queues().length;
    if (known == 0) {
      placement.begin(partitions);
    } else if (partitions > known) {
      router.open(router.grown(partitions));
    } else if (partitions < known && partitions > 0) {
      router.shrink(partitions);
      client.cluster().waiters().signalAll();
    }
  }

  /** Makes every batch due until {@link #endFlush} by the same thread. */
  FlushWait beginFlush() {
    FlushWait wait = flushWaits.take();
    batchMemory.beginFlush();
    return unplaced.isEmpty() ? wait.begin(router.queues()) : wait.beginLater();
  }

  /** Waits for the batches of a flush. Returns false if the time was not enough. */
  boolean awaitFlush(FlushWait wait, long deadlineNanos) throws InterruptedException {
    if (!wait.hasBegun()) {
      if (!client.cluster().waiters().await(unplaced::isEmpty, deadlineNanos)) {
        return false;
      }
      wait.begin(router.queues());
    }
    return client.cluster().waiters().await(wait, deadlineNanos);
  }

  void endFlush(FlushWait wait) {
    batchMemory.endFlush();
    flushWaits.give(wait);
  }

  /** Fails what was accepted and is not in flight. */
  void purge() {
    KafkaException reason = new KafkaException(ErrorCode.NONE,
        "the record for " + settings.topic() + " was purged before it was sent");
    client.runOnLoop(() -> {
      unplaced.failAll(reason);
      sender.closing().purge(state, reason);
      client.cluster().waiters().signalAll();
    });
  }

  /** Takes no record from now on. */
  void beginClose() {
    state.close();
  }

  /**
   * Closes the producer if nothing was sent for a time and nothing is left of it. A record that a thread is about to
   * append is refused by a {@link RetiredException}, or keeps the producer open. Owner of the loop only.
   */
  boolean retireIfIdle(long idleNanos) {
    if (placement.isUnderWay() || state.isClosed() || !state.topic.isIdle(idleNanos, client.loop().nowNanos())) {
      return false;
    }
    PartitionQueue[] all = router.queues();
    int paused = 0;
    while (paused < all.length && all[paused].pauseIfIdle()) {
      paused++;
    }
    boolean retires = paused == all.length && unplaced.closeIfEmpty();
    if (retires) {
      if (transaction != null) {
        transaction.leave();
      }
      state.retire(); // before the queues close: a send that finds one closed opens the topic again for this reason
    }
    for (int p = 0; p < paused; p++) {
      all[p].resumeOrClose(retires);
    }
    if (!retires) {
      return false;
    }
    end(new RetiredException(settings.topic()));
    return true;
  }

  /** Returns true if the producer is closed, and all of its listeners were called. */
  boolean isFinished() {
    return finished;
  }

  /**
   * Fails what is left, and waits until its listeners were called. Each thread that closes comes here when its time is
   * over. The first one fails the records, which ends the flushes of the others.
   */
  void finishClose() {
    if (!finished) {
      client.runOnLoop(this::finishOnLoop);
    }
  }

  private void finishOnLoop() {
    if (finished) {
      return;
    }
    KafkaException reason = new KafkaException(ErrorCode.NONE, "the producer for " + settings.topic() + " was closed");
    end(reason);
    if (parts.directBytes() != ProducerMemory.SHARED) {
      client.removeDirectMemory(parts.directBytes());
    }
  }

  /** Ends the producer. Owner of the loop only. */
  private void end(KafkaException reason) {
    client.pushSources().remove(labels);
    client.cluster().removeOnChange(metadataListener);
    placement.stop(reason);
    router.close();
    sender.closing().shutDown(state, reason, this::onMemoryBack);
    if (transaction != null) {
      transaction.leave();
    }
    finished = true;
    client.cluster().waiters().signalAll();
    memory.signalAll();
  }

  /** Gives the producer's memory back: no batch uses it any more. Owner of the loop only. */
  private void onMemoryBack() {
    parts.release();
    client.unregister(producer);
    client.cluster().waiters().signalAll();
  }
}
