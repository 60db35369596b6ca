package dev.decant.kafka.producer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.transaction.TransactionMember;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** What the sender knows of one open producer. Owner of the loop only, but for what does not change. */
final class ProducerState {
  final ProducerSettings settings;
  final BatchMemory batchMemory;
  final ProduceTopic topic;
  /** Null where batches have no numbers, or those of a transaction. */
  final @Nullable ProducerIdentity identity;
  final @Nullable BatchCompression compression;
  final @Nullable TransactionMember transaction;
  /** Whether a sending thread may write its batch to the socket: no batch waits for more records, or for a right. */
  final boolean maySendAtOnce;
  final CRC32C crc = new CRC32C();
  /** Set by any thread: no record is taken any more. */
  private volatile boolean closed;
  /** Closed since nothing was to be done; set before {@link #closed}. */
  private volatile boolean retired;
  /** Queues with work. */
  int activeQueues;
  /** Set when the producer closes: nothing of it is sent any more. */
  @Nullable
  KafkaException closing;
  /** Runs when all memory has been given back. */
  @Nullable
  Runnable whenDone;

  ProducerState(ProduceTopic topic, ProducerSettings settings, BatchMemory batchMemory,
      @Nullable ProducerIdentity identity, @Nullable BatchCompression compression,
      @Nullable TransactionMember transaction) {
    this.settings = settings;
    this.batchMemory = batchMemory;
    this.topic = topic;
    this.identity = identity;
    this.compression = compression;
    this.transaction = transaction;
    this.maySendAtOnce = settings.lingerNanos() == 0 && settings.acks() != Acks.NONE && transaction == null;
  }

  /** Takes no record from now on. Any thread. */
  void close() {
    closed = true;
  }

  boolean isClosed() {
    return closed;
  }

  /** Takes no record from now on; {@link #requireOpen} tells why. Any thread. */
  void retire() {
    retired = true;
    closed = true;
  }

  void requireOpen() {
    if (!closed) { // read once: it may become true between two reads, and the reason would be the wrong one
      return;
    }
    if (retired) {
      throw new RetiredException(settings.topic());
    }
    throw new KafkaException(ErrorCode.NONE, "the producer for " + settings.topic() + " is closed");
  }
}
