package dev.decant.kafka.producer;

import dev.decant.kafka.transaction.SequenceNumbers;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The batches of one partition that are to be sent again, in the order of their numbers. Batches whose numbers were
 * refused come first. This class decides which batch keeps its sequence number and which gets another (KIP-98,
 * KIP-360). Owner of the loop only.
 */
final class PartitionRetries {
  private final ArrayDeque<ProducerBatch> batches = new ArrayDeque<>();
  private final SequenceNumbers sequenceNumbers;
  /** {@link dev.decant.kafka.cluster.Cluster#moves()} of the cluster to which the numbers belong. */
  private int clusterMoves;

  PartitionRetries(SequenceNumbers sequenceNumbers) {
    this.sequenceNumbers = sequenceNumbers;
  }

  boolean isEmpty() {
    return batches.isEmpty();
  }

  /** The first batch; null if there is none. */
  @Nullable
  ProducerBatch peek() {
    return batches.peekFirst();
  }

  /** Takes the first batch; null if there is none. */
  @Nullable
  ProducerBatch poll() {
    return batches.pollFirst();
  }

  /** Puts a batch back in its place. Of two halves of one batch, add the second one first. */
  void add(ProducerBatch batch) {
    ArrayDeque<ProducerBatch> later = new ArrayDeque<>();
    while (!batches.isEmpty() && !batches.getLast().refusedNumber && batches.getLast().number >= batch.number) {
      later.addFirst(batches.removeLast());
    }
    batches.addLast(batch);
    batches.addAll(later);
  }

  /**
   * Takes the batch to be sent next: the oldest. Behind a gap that is the oldest in doubt, since the broker takes all
   * others only under other numbers. Returns null if there is none.
   */
  @Nullable
  ProducerBatch takeNext() {
    ProducerBatch inDoubt = sequenceNumbers.hasGap() ? oldestInDoubt() : null;
    if (inDoubt == null) {
      return batches.pollFirst();
    }
    batches.remove(inDoubt);
    return inDoubt;
  }

  /** The oldest batch that may be stored under the present numbers; null if there is none. */
  @Nullable
  ProducerBatch oldestInDoubt() {
    for (ProducerBatch batch : batches) {
      if (hasValidNumber(batch) && batch.mayBeStored) {
        return batch;
      }
    }
    return null;
  }

  /** The oldest batch that is sent again under its present numbers, behind a gap only one in doubt; null for none. */
  @Nullable
  ProducerBatch oldestWithNumber() {
    if (sequenceNumbers.hasGap()) {
      return oldestInDoubt();
    }
    for (ProducerBatch batch : batches) {
      if (hasValidNumber(batch)) {
        return batch;
      }
    }
    return null;
  }

  private boolean hasValidNumber(ProducerBatch batch) {
    return !batch.refusedNumber && batch.isNumberedBy(sequenceNumbers);
  }

  /**
   * Frees the number of a batch that ends without being acknowledged. The number leaves a gap if the batch or a younger
   * one may be stored: a broker that has forgotten the identity stores a younger one first.
   */
  void giveUpNumber(ProducerBatch batch) {
    if (batch.baseSequence >= 0 && batch.isNumberedBy(sequenceNumbers)) {
      if (batch.mayBeStored || sequenceNumbers.isStored(batch.number)) {
        sequenceNumbers.markGap();
      } else {
        sequenceNumbers.release(batch.baseSequence);
      }
    }
  }

  /**
   * Notes that the broker refused the number of a batch though nothing older was in flight. Behind a batch whose
   * numbers were released this is no news: this one gets others, too.
   */
  void refuseNumber(ProducerBatch batch) {
    if (batch.mayBeStored || !batch.isNumberedBy(sequenceNumbers)
        || !sequenceNumbers.isReleased(batch.baseSequence)) {
      batch.refusedNumber = true;
      sequenceNumbers.markGap();
    }
  }

  /**
   * Takes the oldest batch whose number was refused before a younger one was stored. The broker must have stored it,
   * too, and forgotten it: after a restart it knows the last batch of a producer only, from a snapshot. Returns null if
   * there is none.
   */
  @Nullable
  ProducerBatch takeRefusedBefore(ProducerBatch stored) {
    return batches.isEmpty() ? null : takeRefusedSlowPath(stored);
  }

  private @Nullable ProducerBatch takeRefusedSlowPath(ProducerBatch stored) {
    for (ProducerBatch batch : batches) {
      if (batch.refusedNumber && batch.mayBeStored && batch.isNumberedAs(stored)) {
        batches.remove(batch);
        return batch;
      }
    }
    return null;
  }

  /**
   * Resumes after a gap in the numbers, while no batch is in flight. The partition uses the first number that the
   * broker does not have, if no batch from there on can be stored. Otherwise it goes to the next epoch (after KIP-360),
   * in which other partitions need not follow. Batches in doubt are sent before that, under their old numbers, until
   * the broker has responded to each. Returns false while there is one.
   */
  boolean resumeAfterGap(ProducerIdentity identity) {
    if (rewind()) {
      return true;
    }
    if (oldestInDoubt() != null) {
      return false;
    }
    batches.forEach(batch -> batch.refusedNumber = false); // all get other numbers
    if (!sequenceNumbers.bump()) {
      identity.forget(sequenceNumbers.producerId());
      sequenceNumbers.end();
    }
    return true;
  }

  private boolean rewind() {
    if (!sequenceNumbers.canRewind()) {
      return false;
    }
    for (ProducerBatch batch : batches) {
      if (batch.mayBeStored && hasReleasedNumber(batch)) {
        return false;
      }
    }
    for (ProducerBatch batch : batches) {
      if (hasReleasedNumber(batch)) {
        batch.dropNumber();
      }
    }
    sequenceNumbers.rewind();
    return true;
  }

  private boolean hasReleasedNumber(ProducerBatch batch) {
    return batch.isNumberedBy(sequenceNumbers) && sequenceNumbers.isReleased(batch.baseSequence);
  }

  /**
   * Drops all numbers, since the client has come to another cluster, while no batch is in flight. A broker there could
   * take the batches for those of a producer with the same id. The next identity may itself have the id of the first.
   */
  void leaveOtherCluster(ProducerIdentity identity, int moves) {
    batches.forEach(ProducerBatch::dropNumber);
    sequenceNumbers.end();
    identity.leaveOtherCluster(moves);
    clusterMoves = moves;
  }

  /** Returns true if the numbers belong to the client's present cluster. */
  boolean isNumberedIn(int moves) {
    return clusterMoves == moves;
  }
}
