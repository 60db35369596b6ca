package dev.decant.kafka.producer;

import static java.util.Objects.requireNonNull;

import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.cluster.Call;
import dev.decant.kafka.cluster.RequestHeader;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.transaction.TransactionMember;
import dev.decant.net.Connection;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * One Produce request with batches of any number of topics. Small pieces of its own lie between the slices of the
 * batches, and a gathering write sends all of them. Reused. Owner of the loop only.
 *
 * <p>The request has version 13 with the topics' ids, and 12 with their names. It has version 11 in a transaction whose
 * partitions are added by requests of their own. An older broker gets an older version, 3 at least. A request names
 * acks and transactional id once, so its batches are from producers with the same.
 *
 * <pre>
 *   | length | header | transactionalId | acks | timeout | n topics |
 *     n times: | name or id | n partitions |
 *       n times: | index | records length + 1 | batch ... | tags |
 *       | tags of the topic |
 *   | tags |
 * </pre>
 *
 * <p>Below version 9 lengths and counts are int16 and int32, without 1 more, and there are no tags.
 */
final class ProduceRequestFrame extends Call {
  private static final short OLDEST = 3;
  /** The first version with compact types and tags. */
  static final short FIRST_FLEXIBLE = 9;
  /** The last version for transactions whose partitions are added by requests of their own (KIP-890). */
  private static final short EXPLICIT = 11;
  private static final short WITH_NAMES = 12;
  /** The first version that names topics by their ids (KIP-516). */
  static final short WITH_IDS = 13;
  private static final int FIXED_BYTES = 1024;
  private static final int BYTES_PER_PARTITION = 16;
  /** Bytes of a topic beside its name. */
  private static final int BYTES_PER_TOPIC = 32;
  private static final int MOST_BYTES_PER_CHAR = 3;
  private static final int LEAST_PIECES = 4096;
  private static final ByteBuffer[] NO_VIEWS = {};

  private final SentRequests sent;
  private final ProduceResponseReader response;
  private final ProtocolWriter out = new ProtocolWriter();
  /** The topics of this request, in order. Those after {@link #topicCount} are spare. */
  private final List<TopicBatches> topics = new ArrayList<>();
  private final IdentityHashMap<ProduceTopic, TopicBatches> byTopic = new IdentityHashMap<>();
  private final IntFunction<ByteBuffer> memory;
  private ByteBuffer pieces = ByteBuffer.allocate(0);
  private ByteBuffer[] views = NO_VIEWS;
  private int topicCount;
  private int batchCount;
  /** Bound of the request's bytes. */
  private int bytes;
  /** Bound of the bytes of its own pieces. */
  private int pieceBytes;
  private @Nullable BrokerInFlight broker;
  /** Settings of one of the producers whose batches it has. */
  private @Nullable ProducerSettings settings;
  private @Nullable TransactionMember transaction;
  private boolean awaitsResponse;
  /** The connection on which it was queued. */
  private @Nullable Connection connection;
  /** When the connection has written so many bytes in all, this request is written. */
  private long writtenMark;

  ProduceRequestFrame(SentRequests sent, LeaderHints hints, IntFunction<ByteBuffer> memory) {
    super(ApiKey.PRODUCE, OLDEST, WITH_IDS);
    this.sent = sent;
    this.memory = memory;
    this.response = new ProduceResponseReader(this, sent, hints);
  }

  void begin(BrokerInFlight target, ProducerState producer) {
    broker = target;
    connection = null;
    settings = producer.settings;
    transaction = producer.transaction;
    response.begin();
    bytes = FIXED_BYTES;
    pieceBytes = FIXED_BYTES + producer.settings.transactionalId().length() * MOST_BYTES_PER_CHAR;
  }

  /** Forgets the batches: each is over, or back in its queue. */
  void end(long nowNanos) {
    if (awaitsResponse && broker != null) {
      broker.answered(nowNanos);
    }
    awaitsResponse = false;
    broker = null;
    settings = null;
    transaction = null;
    for (int t = 0; t < topicCount; t++) {
      topics.get(t).clear();
    }
    byTopic.clear();
    topicCount = 0;
    batchCount = 0;
  }

  @Nullable
  BrokerInFlight broker() {
    return broker;
  }

  @Nullable
  TransactionMember transaction() {
    return transaction;
  }

  boolean isEmpty() {
    return batchCount == 0;
  }

  /** Returns true if batches of a producer may be part of this request, which names acks and transactional id once. */
  boolean isFor(BrokerInFlight target, ProducerSettings producer) {
    return broker == target && settings != null && settings.acks() == producer.acks()
        && settings.transactions() == producer.transactions();
  }

  /**
   * Returns true if a batch of a partition fits under {@code max.request.size}; the first one always does. A request
   * that names a partition twice is refused, so a second producer of a topic waits for the next one.
   */
  boolean hasRoomFor(PartitionSendState sends) {
    return batchCount == 0 || (hasBytesFor(sends.producer.settings)
        && (sends.producer.topic.producers == 1 || !hasPartition(sends.producer.topic, sends.partition)));
  }

  private boolean hasBytesFor(ProducerSettings producer) {
    return bytes + producer.batchSize() + BYTES_PER_PARTITION <= producer.maxRequestBytes();
  }

  private boolean hasPartition(ProduceTopic topic, int partition) {
    TopicBatches known = byTopic.get(topic);
    return known != null && known.has(partition);
  }

  void add(ProducerBatch batch) {
    TopicBatches of = batchesOf(batch.sends.producer.topic);
    of.add(batch);
    batchCount++;
    bytes += batch.wireBytes() + BYTES_PER_PARTITION;
    pieceBytes += BYTES_PER_PARTITION;
  }

  private TopicBatches batchesOf(ProduceTopic topic) {
    if (topicCount > 0 && topics.get(topicCount - 1).isOf(topic)) {
      return topics.get(topicCount - 1);
    }
    TopicBatches known = byTopic.get(topic);
    if (known != null) {
      return known;
    }
    if (topicCount == topics.size()) {
      topics.add(new TopicBatches());
    }
    TopicBatches fresh = topics.get(topicCount++);
    fresh.begin(topic);
    byTopic.put(topic, fresh);
    bytes += BYTES_PER_TOPIC;
    pieceBytes += BYTES_PER_TOPIC + topic.name.length() * MOST_BYTES_PER_CHAR;
    return fresh;
  }

  int topicCount() {
    return topicCount;
  }

  TopicBatches topic(int index) {
    return topics.get(index);
  }

  /** Returns true if the broker will not respond. */
  boolean isWithoutResponse() {
    return settings != null && settings.acks() == Acks.NONE;
  }

  @Override
  protected boolean hasResponse() {
    return !isWithoutResponse();
  }

  /** Not used: {@link #queue} writes the whole request, piece by piece. */
  @Override
  public void write(ProtocolWriter body, short version) {
    throw new UnsupportedOperationException("the batches are slices of their own");
  }

  /** Queues the whole request. Memory is taken before the first piece is queued, so that no half request is left. */
  @Override
  protected void queue(Connection on, RequestHeader header, short version) {
    BrokerInFlight to = requireNonNull(broker, "begun");
    ProducerSettings with = requireNonNull(settings, "begun");
    boolean flexible = version >= FIRST_FLEXIBLE;
    makeRoom();
    out.wrap(pieces, 4, pieces.capacity());
    header.write(out);
    writeBodyStart(with, flexible);
    long recordBytes = 0;
    int from = 0;
    int piece = 0;
    for (int t = 0; t < topicCount; t++) {
      TopicBatches topic = topics.get(t);
      writeTopicStart(topic, version);
      for (int b = 0; b < topic.size(); b++) {
        ProducerBatch batch = topic.get(b);
        if (batch == null) {
          continue; // batches are taken out by the response only
        }
        out.writeInt(batch.sends.partition);
        writeLength(batch.wireBytes(), flexible);
        from = queuePiece(on, piece++, from);
        for (int s = 0; s < batch.sliceCount(); s++) {
          on.queue(batch.slice(s));
        }
        recordBytes += batch.wireBytes();
        writeTags(flexible);
      }
      writeTags(flexible);
    }
    writeTags(flexible);
    pieces.putInt(0, Math.toIntExact(out.position() - 4 + recordBytes));
    queuePiece(on, piece, from);
    connection = on;
    writtenMark = on.bytesQueued();
    if (hasResponse()) {
      awaitsResponse = true;
      to.sent();
    }
  }

  private boolean isExplicit() {
    return transaction != null && !transaction.isImplicit();
  }

  @Override
  protected int lowestVersion() {
    return transaction != null && transaction.isImplicit() ? WITH_NAMES : OLDEST;
  }

  @Override
  protected int highestVersion() {
    if (isExplicit()) {
      return EXPLICIT;
    }
    boolean haveIds = true;
    for (int t = 0; t < topicCount; t++) {
      haveIds &= !Uuid.ZERO.equals(topics.get(t).id());
    }
    return haveIds ? WITH_IDS : WITH_NAMES;
  }

  private void makeRoom() {
    if (pieces.capacity() < pieceBytes) {
      pieces = memory.apply(Math.max(LEAST_PIECES, pieceBytes * 2));
      views = NO_VIEWS;
    }
    if (views.length < batchCount + 1) {
      ByteBuffer[] before = views;
      ByteBuffer[] more = Arrays.copyOf(before, Math.max(batchCount + 1, 2 * before.length));
      for (int i = before.length; i < more.length; i++) {
        more[i] = pieces.duplicate();
      }
      views = more;
    }
  }

  private void writeBodyStart(ProducerSettings with, boolean flexible) {
    String transactionalId = with.transactions() == null ? null : with.transactionalId();
    if (flexible) {
      out.writeCompactNullableString(transactionalId);
    } else {
      out.writeNullableString(transactionalId);
    }
    out.writeShort(with.acks().wire());
    out.writeInt(with.requestTimeoutMillis());
    writeLength(topicCount, flexible);
  }

  /** Writes the length of an array or of bytes. */
  private void writeLength(int length, boolean flexible) {
    if (flexible) {
      out.writeUnsignedVarint(length + 1);
    } else {
      out.writeInt(length);
    }
  }

  private void writeTags(boolean flexible) {
    if (flexible) {
      out.writeByte(0);
    }
  }

  private void writeTopicStart(TopicBatches topic, short version) {
    ProduceTopic of = topic.topic();
    String name = of == null ? "" : of.name;
    if (version >= WITH_IDS) {
      out.writeUuid(topic.id());
    } else if (version >= FIRST_FLEXIBLE) {
      out.writeCompactString(name);
    } else {
      out.writeString(name);
    }
    writeLength(topic.size(), version >= FIRST_FLEXIBLE);
  }

  /** Queues the bytes written since {@code from}. Returns where the next piece begins. */
  private int queuePiece(Connection on, int index, int from) {
    int to = out.position();
    on.queue(views[index].limit(to).position(from));
    return to;
  }

  /** Returns true if the whole request was queued on a connection. */
  boolean isQueued() {
    return connection != null;
  }

  /** Returns true if the connection has written the whole request, even if it has ended since. */
  boolean isWritten() {
    Connection on = connection;
    return on != null && on.bytesWritten() >= writtenMark;
  }

  /** Returns true if the connection may still write the rest of the request. */
  boolean isBeingWritten() {
    Connection on = connection;
    return on != null && on.isConnected() && !isWritten();
  }

  @Override
  protected void onResponse(ProtocolReader in, short version, @Nullable PooledBuffer lease) {
    response.readTopics(in, version);
    throttle(in.readInt());
    response.readEnd(in);
    sent.onAnswered(this, null);
  }

  @Override
  protected void onFailure(KafkaException cause) {
    sent.onFailure(this, cause);
  }
}
