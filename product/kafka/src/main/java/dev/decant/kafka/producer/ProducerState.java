package dev.decant.kafka.producer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.transaction.TransactionMember;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** What the sender knows of one open producer. Owner of the loop only, but for final fields and where said. */
final class ProducerState {
  final ProducerSettings settings;
  final BatchMemory batchMemory;
  final ProduceTopic topic;
  /** The identity that numbers batches; null without idempotence, and in transactions, which have their own. */
  final @Nullable ProducerIdentity identity;
  final @Nullable BatchCompression compression;
  final @Nullable TransactionMember transaction;
  /** True if a sending thread may write its batch to the socket: no batch lingers, or waits for a transaction. */
  final boolean maySendAtOnce;
  final CRC32C crc = new CRC32C();
  /** True once no record is taken any more. Set by any thread. */
  private volatile boolean closed;
  /** True if the producer was closed because it was idle. Set before {@link #closed}. */
  private volatile boolean retired;
  /** Number of partitions with work. */
  int activeQueues;
  /** Why no batch is sent any more; null until the producer closes. */
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

  /** Takes no record from now on, since the producer was idle. Any thread. */
  void retire() {
    retired = true;
    closed = true;
  }

  void requireOpen() {
    if (!closed) { // read once: with two reads, a retired producer was taken for a closed one
      return;
    }
    if (retired) {
      throw new RetiredException(settings.topic());
    }
    throw new KafkaException(ErrorCode.NONE, "the producer for " + settings.topic() + " is closed");
  }
}
