package dev.decant.flink;

import dev.decant.kafka.PreparedTransaction;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * Reads and writes prepared transactions in the format of Flink's {@code KafkaCommittableSerializer}, with big-endian
 * numbers and a text as {@link DataOutputStream#writeUTF} writes it:
 *
 * <pre>
 *  version 1:  epoch (2) | producer id (8) | transactional id (text)
 * </pre>
 */
final class CommittableSerializer implements SimpleVersionedSerializer<PreparedTransaction> {
  private static final int VERSION = 1;

  @Override
  public int getVersion() {
    return VERSION;
  }

  @Override
  public byte[] serialize(PreparedTransaction transaction) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeShort(transaction.epoch());
    out.writeLong(transaction.producerId());
    out.writeUTF(transaction.transactionalId());
    return bytes.toByteArray();
  }

  @Override
  public PreparedTransaction deserialize(int version, byte[] serialized) throws IOException {
    if (version != VERSION) {
      throw new IOException("a committable of a Kafka sink has version " + version + ", and this release reads version "
          + VERSION);
    }
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(serialized));
    short epoch = in.readShort();
    long producerId = in.readLong();
    return new PreparedTransaction(in.readUTF(), producerId, epoch);
  }
}
