package dev.decant.kafka.producer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ErrorCode;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;

/**
 * The records of a batch that a broker has named as the reason of its refusal (KIP-467), with a message for each. Made
 * only for a refusal that names any, which is rare. Owner of the loop only.
 */
final class RefusedRecords {
  /** Partition and broker, as the beginning of a message. */
  private final String where;
  /** Messages by the index of the record in the batch. */
  private final TreeMap<Integer, String> messages = new TreeMap<>();

  /** Begins with no record. */
  RefusedRecords(String where) {
    this.where = where;
  }

  /** Adds a record; the message is "" if the broker has none. */
  void add(int index, String message) {
    messages.put(index, message);
  }

  boolean isEmpty() {
    return messages.isEmpty();
  }

  /** Returns true if a record is one of these. */
  boolean has(int index) {
    return messages.containsKey(index);
  }

  int count() {
    return messages.size();
  }

  /**
   * The errors of these records in their order. As in Apache's client, a record that is named alone has the code of the
   * batch. A broker has one code for the whole batch, which may not fit each of several records.
   */
  private KafkaException[] errors(KafkaException ofBatch) {
    ErrorCode code = messages.size() == 1 ? ofBatch.code() : ErrorCode.INVALID_RECORD;
    return messages.values().stream().map(message -> new KafkaException(code,
        where + " answered " + code + " to this record" + (message.isEmpty() ? "" : " (" + message + ")"), ofBatch))
        .toArray(KafkaException[]::new);
  }

  /** The same errors, by the index of the record among these. */
  IntFunction<KafkaException> errorsOfNamed(KafkaException ofBatch) {
    KafkaException[] named = errors(ofBatch);
    return index -> named[index];
  }

  /** The errors of all records of the batch, by index. Records that are not named have one error in common. */
  IntFunction<KafkaException> errorsOfAll(KafkaException ofBatch) {
    KafkaException[] named = errors(ofBatch);
    Map<Integer, KafkaException> byIndex = new HashMap<>();
    messages.keySet().forEach(index -> byIndex.put(index, named[byIndex.size()]));
    KafkaException other = new KafkaException(ErrorCode.NONE, where + " did not take this record, since "
        + named.length + " of its batch are invalid; " + ofBatch.getMessage(), ofBatch);
    return index -> byIndex.getOrDefault(index, other);
  }
}
