package dev.decant.fake.differential;

import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.record.RecordBatchHeader;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A response as lines of fields, with what differs between any two clusters taken out: addresses and broker times are
 * left out; ids of topics, producers and sessions are numbered in the order in which they appear.
 */
final class Dump {
  /** Fields that any two clusters differ in. */
  private static final Set<String> LEFT_OUT = Set.of("host", "port", "throttleTimeMs", "clusterId", "logAppendTimeMs",
      "logDir", "totalBytes", "usableBytes", "finalizedFeaturesEpoch", "lastTimestamp");
  private static final Set<String> NUMBERED = Set.of("sessionId", "producerId", "ongoingTxnProducerId");
  /** Lists of numbers whose order says nothing. */
  private static final Set<String> UNORDERED = Set.of("partitions");
  /** Times of which only counts whether there is one. */
  private static final Set<String> TIMES = Set.of("transactionStartTimeMs");
  private static final Pattern RANDOM = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

  private static final int CONTROL = 0x20;

  private final Map<Object, String> names = new HashMap<>();
  private final String prefix;

  /** Makes a dump for a scenario whose names begin with a prefix. Lists of all objects of a cluster show only these
   * names. */
  Dump(String prefix) {
    this.prefix = prefix + "-";
  }

  /** The fields of a response by their paths. */
  SortedMap<String, String> of(Object response) {
    SortedMap<String, String> lines = new TreeMap<>();
    add(lines, "", response, "");
    return lines;
  }

  private void add(SortedMap<String, String> lines, String path, @Nullable Object value, String field) {
    if (value instanceof List<?> list && UNORDERED.contains(field)
        && list.stream().allMatch(Integer.class::isInstance)) {
      lines.put(path, list.stream().sorted().toList().toString());
    } else if (value instanceof List<?> list) {
      lines.put(path + ".size", String.valueOf(list.stream().filter(item -> !isOfOthers(item)).count()));
      for (int i = 0; i < list.size(); i++) {
        if (!isOfOthers(list.get(i))) {
          add(lines, path + "[" + keyOf(list.get(i), i) + "]", list.get(i), field);
        }
      }
    } else if (value instanceof ByteBuffer bytes && field.equals("records")) {
      lines.put(path, records(bytes));
    } else if (value instanceof ByteBuffer bytes) {
      byte[] all = new byte[bytes.remaining()];
      bytes.duplicate().get(all);
      lines.put(path, HexFormat.of().formatHex(all));
    } else if (value instanceof Uuid id) {
      lines.put(path, id.equals(Uuid.ZERO) ? "none" : numbered("id", id));
    } else if (value != null && value.getClass().getName().startsWith("dev.decant.kafka.protocol.message.")) {
      addFields(lines, path, value);
    } else if (NUMBERED.contains(field) && value instanceof Number number && number.longValue() > 0) {
      lines.put(path, numbered(field, number.longValue()));
    } else if (TIMES.contains(field) && value instanceof Number number) {
      lines.put(path, number.longValue() > 0 ? "a time" : number.toString());
    } else {
      lines.put(path, withoutRandom(String.valueOf(value)));
    }
  }

  private boolean isOfOthers(@Nullable Object item) {
    if (item == null) {
      return false;
    }
    return switch (item.getClass().getName().replaceAll(".*\\.", "")) {
      case "ListGroupsResponse$ListedGroup" -> !field(item, "groupId").toString().startsWith(prefix);
      case "ListTransactionsResponse$TransactionState" ->
        !field(item, "transactionalId").toString().startsWith(prefix);
      default -> false;
    };
  }

  /** Coordinators end the ids of members with random characters. */
  private String withoutRandom(String text) {
    Matcher matcher = RANDOM.matcher(text);
    StringBuilder out = new StringBuilder();
    while (matcher.find()) {
      matcher.appendReplacement(out, numbered("random", matcher.group()));
    }
    return matcher.appendTail(out).toString();
  }

  /** Items of lists whose order says nothing are told apart by their names. */
  private Object keyOf(@Nullable Object item, int index) {
    String type = item == null ? "" : item.getClass().getName().replaceAll(".*\\.", "");
    return switch (type.substring(type.indexOf('$') + 1)) {
      case "DescribeConfigsResourceResult", "CreatableTopicConfigs", "SupportedFeatureKey", "FinalizedFeatureKey",
          "OffsetFetchResponseTopics", "OffsetFetchResponseTopic" ->
        field(item, "name");
      case "ApiVersion" -> "api-" + field(item, "apiKey");
      case "DeletableTopicResult" -> "topic-" + field(item, "name"); // brokers shuffle them
      case "JoinGroupResponseMember", "DescribedGroupMember", "Member" ->
        withoutRandom(field(item, "memberId").toString());
      case "ListedGroup" -> field(item, "groupId");
      case "TransactionState" -> field(item, "transactionalId");
      case "ProducerState" -> numbered("producerId", field(item, "producerId"));
      case "TopicData" -> field(item, "topic");
      case "TopicPartitions" -> numbered("id", field(item, "topicId"));
      case "DescribeLogDirsTopic" -> field(item, "name");
      case "DescribeLogDirsPartition", "OffsetFetchResponsePartitions", "OffsetFetchResponsePartition" ->
        field(item, "partitionIndex");
      default -> index;
    };
  }

  private void addFields(SortedMap<String, String> lines, String path, Object message) {
    for (Field field : message.getClass().getDeclaredFields()) {
      if (!Modifier.isStatic(field.getModifiers()) && !LEFT_OUT.contains(field.getName())) {
        add(lines, path + "." + field.getName(), field(message, field.getName()), field.getName());
      }
    }
  }

  static Object field(@Nullable Object message, String name) {
    try {
      Object value = message == null ? null : message.getClass().getMethod(name).invoke(message);
      return value == null ? "null" : value;
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("no accessor " + name, e);
    }
  }

  private String numbered(String kind, Object value) {
    return names.computeIfAbsent(kind + value, v -> kind + "-" + names.size());
  }

  /** Batches without the producer id, which the checksum covers, so that is left out, too. */
  private String records(ByteBuffer bytes) {
    StringBuilder text = new StringBuilder(bytes.remaining() + " bytes");
    ByteBuffer copy = ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip();
    int at = 0;
    while (copy.limit() - at >= RecordBatchHeader.BYTES) {
      long id = copy.getLong(at + RecordBatchHeader.PRODUCER_ID);
      int size = copy.getInt(at + RecordBatchHeader.BATCH_LENGTH) + RecordBatchHeader.UNCOUNTED_BYTES;
      copy.putLong(at + RecordBatchHeader.PRODUCER_ID, 0).putInt(at + RecordBatchHeader.CRC, 0);
      if ((copy.getShort(at + RecordBatchHeader.ATTRIBUTES) & CONTROL) != 0) { // a marker has the broker's time
        copy.putLong(at + RecordBatchHeader.BASE_TIMESTAMP, 0).putLong(at + RecordBatchHeader.MAX_TIMESTAMP, 0);
      }
      int end = Math.min(at + size, copy.limit());
      text.append(" [").append(id < 0 ? "none" : numbered("producerId", id)).append(' ')
          .append(HexFormat.of().formatHex(copy.array(), at, end)).append(']');
      at = end;
    }
    return text.toString();
  }
}
