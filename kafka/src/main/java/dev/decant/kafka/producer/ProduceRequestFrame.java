package dev.decant.kafka.producer;

import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.cluster.BrokerLink;
import dev.decant.kafka.cluster.ResponseHandler;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.ProduceRequest;
import dev.decant.net.Connection;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * One Produce request (v12 with the topic's name, v13 with its id, v11 in a transaction whose partitions are added by
 * requests of their own): small pieces of its own between the slices of the
 * batches, written together by a gathering write, and the reader of its answer. Reused. Owner of the loop only.
 *
 * <pre>
 *   | length | header | transactionalId | acks | timeout | 1 topic | name or id | n partitions |
 *     n times: | index | records length + 1 | batch ... | tags |
 *   | tags of the topic | tags |
 * </pre>
 */
final class ProduceRequestFrame implements ResponseHandler {
  static final short API_KEY = ProduceRequest.API_KEY;
  static final short EXPLICIT = 11;
  static final short WITH_NAMES = 12;
  static final short WITH_IDS = 13;
  private static final int FIXED_BYTES = 1024;
  private static final int BYTES_PER_PARTITION = 16;
  private static final int USUAL_BYTES = 4096;
  private static final ByteBuffer[] NO_VIEWS = {};

  private final Sender sender;
  private final ProtocolWriter out = new ProtocolWriter();
  private final List<ProducerBatch> batches = new ArrayList<>();
  private final IntFunction<ByteBuffer> memory;
  private ByteBuffer pieces = ByteBuffer.allocate(0);
  private ByteBuffer[] views = NO_VIEWS;
  private final LeaderHints hints;
  private int bytes;
  private @Nullable Pipeline pipeline;
  private boolean awaitsAnswer;
  /** Which it was queued on; when that has written so much, all of this request is written. */
  private @Nullable Connection connection;
  private long writtenMark;

  ProduceRequestFrame(Sender sender, IntFunction<ByteBuffer> memory) {
    this.sender = sender;
    this.memory = memory;
    this.hints = new LeaderHints(sender);
  }

  void begin(Pipeline target) {
    pipeline = target;
    hints.clear(); // an answer may have been cut off
    batches.clear();
    bytes = FIXED_BYTES;
  }

  /** Forgets the batches: they are over, or back in their queues. */
  void end(long nowNanos) {
    if (awaitsAnswer && pipeline != null) {
      pipeline.answered(nowNanos);
    }
    awaitsAnswer = false;
    pipeline = null;
    batches.clear();
  }

  @Nullable
  Pipeline pipeline() {
    return pipeline;
  }

  @Nullable
  BrokerLink link() {
    return pipeline == null ? null : pipeline.link;
  }

  boolean isEmpty() {
    return batches.isEmpty();
  }

  /** Whether a batch still fits under the bound of a request; the first one always does. */
  boolean hasRoomFor(int batchBytes, int maxRequestBytes) {
    return batches.isEmpty() || bytes + batchBytes + BYTES_PER_PARTITION <= maxRequestBytes;
  }

  void add(ProducerBatch batch) {
    batches.add(batch);
    bytes += batch.wireBytes() + BYTES_PER_PARTITION;
  }

  List<ProducerBatch> batches() {
    return batches;
  }

  /** Queues the whole request on the connection and flushes it. What fails first fails before anything is queued. */
  void send(Pipeline to, Connection on, short version, ProducerSettings settings, Uuid topicId) {
    BrokerLink link = to.link;
    int needed = FIXED_BYTES + (settings.topic().length() + idOf(settings).length()) * 3
        + batches.size() * BYTES_PER_PARTITION;
    if (pieces.capacity() < needed) {
      pieces = memory.apply(Math.max(USUAL_BYTES, needed * 2));
      views = NO_VIEWS;
    }
    if (views.length < batches.size() + 1) {
      ByteBuffer[] more = new ByteBuffer[batches.size() + 1];
      Arrays.setAll(more, i -> pieces.duplicate());
      views = more;
    }
    out.wrap(pieces, 4, pieces.capacity());
    link.writeHeader(out, API_KEY, version, true);
    writeBodyStart(version, settings, topicId);
    long recordBytes = 0;
    int from = 0;
    for (int i = 0; i < batches.size(); i++) {
      ProducerBatch batch = batches.get(i);
      out.writeInt(batch.queue.partition);
      out.writeUnsignedVarint(batch.wireBytes() + 1);
      from = queuePiece(on, i, from);
      for (int s = 0; s < batch.sliceCount(); s++) {
        on.queue(batch.slice(s));
      }
      recordBytes += batch.wireBytes();
      out.writeByte(0);
    }
    out.writeByte(0);
    out.writeByte(0);
    pieces.putInt(0, Math.toIntExact(out.position() - 4 + recordBytes));
    queuePiece(on, batches.size(), from);
    connection = on;
    writtenMark = on.bytesQueued();
    if (settings.acks() == Acks.NONE) {
      link.registerUnanswered();
    } else {
      link.register(API_KEY, version, true, this);
      awaitsAnswer = true;
      to.sent();
    }
    on.flush();
  }

  private void writeBodyStart(short version, ProducerSettings settings, Uuid topicId) {
    if (settings.transactions() == null) {
      out.writeUnsignedVarint(0);
    } else {
      out.writeCompactString(idOf(settings));
    }
    out.writeShort(settings.acks().wire());
    out.writeInt(settings.requestTimeoutMillis());
    out.writeUnsignedVarint(2); // one topic
    if (version >= WITH_IDS) {
      out.writeUuid(topicId);
    } else {
      out.writeCompactString(settings.topic());
    }
    out.writeUnsignedVarint(batches.size() + 1);
  }

  private static String idOf(ProducerSettings settings) {
    Transactions transactions = settings.transactions();
    return transactions == null ? "" : transactions.transactionalId();
  }

  /** Queues what was written since {@code from}; the last piece is queued after the length at the start is known. */
  private int queuePiece(Connection on, int index, int from) {
    int to = out.position();
    on.queue(views[index].limit(to).position(from));
    return to;
  }

  /** Whether it was sent, is not answered yet, and will be told if its connection ends before. */
  boolean awaitsAnswer() {
    return awaitsAnswer;
  }

  /** Whether all of it has gone out, on whatever connection its broker has now. */
  boolean isWritten() {
    Connection on = connection;
    return on != null && on.bytesWritten() >= writtenMark;
  }

  /** Whether it may still be written. */
  boolean isBeingWritten() {
    Connection on = connection;
    return on != null && on.isConnected() && !isWritten();
  }

  @Override
  public void onResponse(ProtocolReader in, short version, @Nullable PooledBuffer lease) {
    int topics = in.readCompactArrayLength(1);
    for (int t = 0; t < topics; t++) {
      if (version >= WITH_IDS) {
        in.skip(16);
      } else {
        in.skip(in.readUnsignedVarint() - 1); // the name, which is known and would be a string
      }
      int partitions = in.readCompactArrayLength(32);
      for (int p = 0; p < partitions; p++) {
        readPartition(in);
      }
      in.skipTaggedFields();
    }
    BrokerLink from = link();
    if (from != null) {
      from.throttle(in.readInt());
    }
    if (!hints.isEmpty()) {
      hints.readEndpoints(in);
    }
    sender.onAnswered(this, null);
  }

  private void readPartition(ProtocolReader in) {
    int index = in.readInt();
    short error = in.readShort();
    long baseOffset = in.readLong();
    long logAppendTime = in.readLong();
    in.skip(Long.BYTES); // log start offset
    int recordErrors = in.readCompactArrayLength(6);
    for (int i = 0; i < recordErrors; i++) {
      in.skip(Integer.BYTES);
      in.readCompactNullableString();
      in.skipTaggedFields();
    }
    String message = in.readCompactNullableString();
    hints.readLeader(in, index);
    ProducerBatch batch = take(index);
    if (batch != null) {
      sender.onBatchAnswered(this, batch, error, baseOffset, logAppendTime, message);
    }
  }

  /** Takes a batch out by its partition; brokers answer in the order of the request, so it is mostly the first. */
  private @Nullable ProducerBatch take(int partition) {
    for (int i = 0; i < batches.size(); i++) {
      if (batches.get(i).queue.partition == partition) {
        return batches.remove(i);
      }
    }
    return null;
  }

  @Override
  public void onFailure(KafkaException cause) {
    sender.onAnswered(this, cause);
  }
}
