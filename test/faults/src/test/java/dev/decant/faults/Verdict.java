package dev.decant.faults;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Compares what senders were told with what is stored: no acknowledged record lost, none stored twice (failed ones
 * included), each at the offset of its acknowledgement, acknowledged records of a sender in the order of their sends in
 * each partition, each send told of exactly once, no bytes that nobody sent.
 */
final class Verdict {
  private static final int SHOWN = 20;

  private final long run;
  private final Map<Integer, Outcomes> senders = new HashMap<>();
  private final Stored stored;
  private final Map<Integer, BitSet> found = new HashMap<>();
  private final List<String> violations = new ArrayList<>();
  private int violationCount;
  private int failedButStored;

  private Verdict(long run, List<Outcomes> senders, Stored stored) {
    this.run = run;
    this.stored = stored;
    senders.forEach(outcomes -> this.senders.put(outcomes.sender, outcomes));
  }

  /** The senders must have ended and been told everything that they will be told. */
  static Verdict of(long run, List<Outcomes> senders, Stored stored) {
    Verdict verdict = new Verdict(run, senders, stored);
    for (int p = 0; p < stored.partitions().size(); p++) {
      verdict.judgePartition(p);
    }
    verdict.senders.values().forEach(verdict::judgeSender);
    return verdict;
  }

  private BitSet isFound(int sender) {
    return found.computeIfAbsent(sender, key -> new BitSet());
  }

  private void violation(String text) {
    violationCount++;
    if (violations.size() < SHOWN) {
      violations.add(text);
    }
  }

  private void judgePartition(int partition) {
    Map<Integer, Long> lastOfSender = new HashMap<>();
    for (Stored.Entry entry : stored.partitions().get(partition)) {
      String place = "partition " + partition + " offset " + entry.offset() + ": ";
      Numbered numbered = entry.numbered();
      if (numbered == null) {
        violation(place + "bytes that nobody sent");
        continue;
      }
      Outcomes outcomes = senders.get(numbered.sender());
      if (numbered.run() != run || outcomes == null || numbered.sequence() >= outcomes.sent()) {
        violation(place + "a record of elsewhere, " + numbered);
        continue;
      }
      if (numbered.partition() >= 0 && numbered.partition() != partition) {
        violation(place + "a record of another partition, " + numbered);
      }
      int sequence = (int) numbered.sequence();
      if (isFound(outcomes.sender).get(sequence)) {
        violation(place + "stored again, " + numbered);
      }
      isFound(outcomes.sender).set(sequence);
      if (outcomes.isRefused(sequence)) {
        violation(place + "stored though its send threw, " + numbered);
      } else if (outcomes.isAcknowledged(sequence)) {
        judgeAcknowledged(place, partition, entry, outcomes);
        Long last = lastOfSender.put(outcomes.sender, numbered.sequence());
        if (last != null && last > sequence) {
          violation(place + "out of order, " + numbered + " behind " + last);
        }
      } else {
        failedButStored++;
      }
    }
  }

  private void judgeAcknowledged(String place, int partition, Stored.Entry entry, Outcomes outcomes) {
    Numbered numbered = Objects.requireNonNull(entry.numbered());
    int sequence = (int) numbered.sequence();
    long offset = outcomes.offsetOf(sequence);
    if (outcomes.partitionOf(sequence) != partition || (offset >= 0 && offset != entry.offset())) {
      violation(place + "acknowledged at partition " + outcomes.partitionOf(sequence) + " offset " + offset + ", "
          + numbered);
    }
  }

  private void judgeSender(Outcomes outcomes) {
    if (outcomes.toldAgain() > 0) {
      violation("sender " + outcomes.sender + " was told again of " + outcomes.toldAgain() + " records");
    }
    for (int sequence = 0; sequence < outcomes.sent(); sequence++) {
      if (outcomes.isTold(sequence) == outcomes.isRefused(sequence)) {
        violation("sender " + outcomes.sender + " record " + sequence
            + (outcomes.isTold(sequence) ? ": told of though its send threw" : ": never told of"));
      }
      if (outcomes.isAcknowledged(sequence) && !isFound(outcomes.sender).get(sequence)) {
        violation("sender " + outcomes.sender + " record " + sequence + ": acknowledged at partition "
            + outcomes.partitionOf(sequence) + " offset " + outcomes.offsetOf(sequence) + ", but not stored");
      }
    }
  }

  /** Empty if all is well; the first ones only if there are very many. */
  List<String> violations() {
    return violations;
  }

  /** One line. */
  String summary() {
    int sent = 0;
    int acknowledged = 0;
    int failed = 0;
    Throwable error = null;
    for (Outcomes outcomes : senders.values()) {
      sent += outcomes.sent();
      acknowledged += outcomes.acknowledged();
      failed += outcomes.failed();
      error = error == null ? outcomes.firstError() : error;
    }
    return sent + " sent, " + acknowledged + " acknowledged, " + failed + " failed (" + failedButStored
        + " of them stored), " + stored.records() + " stored, " + violationCount + " violations"
        + (error == null ? "" : "; first error: " + error.getMessage());
  }
}
