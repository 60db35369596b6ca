package dev.decant.flink;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * Reads and writes states in the format of Flink's {@code KafkaWriterStateSerializer}, with big-endian numbers and
 * texts as {@link DataOutputStream#writeUTF} writes them:
 *
 * <pre>
 *  version 1:  prefix (text)
 *  version 2:  prefix (text) | owned subtask (4) | all subtasks (4) | ownership (4): 0 by number, 1 by state
 *              | count (4) | count times: transactional id (text), checkpoint id (8)
 * </pre>
 */
final class SinkWriterStateSerializer implements SimpleVersionedSerializer<SinkWriterState> {
  private static final int VERSION = 2;
  private static final int FIRST_VERSION = 1;

  @Override
  public int getVersion() {
    return VERSION;
  }

  @Override
  public byte[] serialize(SinkWriterState state) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeUTF(state.prefix());
    out.writeInt(state.ownedSubtask());
    out.writeInt(state.allSubtasks());
    out.writeInt(state.explicit() ? 1 : 0);
    out.writeInt(state.prepared().size());
    for (SinkWriterState.Prepared transaction : state.prepared()) {
      out.writeUTF(transaction.transactionalId());
      out.writeLong(transaction.checkpointId());
    }
    return bytes.toByteArray();
  }

  @Override
  public SinkWriterState deserialize(int version, byte[] serialized) throws IOException {
    if (version != VERSION && version != FIRST_VERSION) {
      throw new IOException("the state of a Kafka sink has version " + version + ", and this release reads versions "
          + FIRST_VERSION + " and " + VERSION);
    }
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(serialized));
    String prefix = in.readUTF();
    if (version == FIRST_VERSION) {
      return new SinkWriterState(prefix, SinkWriterState.UNKNOWN, SinkWriterState.UNKNOWN, false, List.of());
    }
    int owned = in.readInt();
    int all = in.readInt();
    int ownership = in.readInt();
    if (ownership != 0 && ownership != 1) {
      throw new IOException("the state of a Kafka sink has an unknown ownership: " + ownership);
    }
    List<SinkWriterState.Prepared> prepared = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      prepared.add(new SinkWriterState.Prepared(in.readUTF(), in.readLong()));
    }
    return new SinkWriterState(prefix, owned, all, ownership == 1, prepared);
  }
}
