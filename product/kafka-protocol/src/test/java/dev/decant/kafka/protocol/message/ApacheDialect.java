package dev.decant.kafka.protocol.message;

import dev.decant.kafka.protocol.Uuid;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Locale;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** Converts Apache's messages. */
class ApacheDialect extends Dialect {
  @Override
  Class<?> bodyClass(Schema schema) throws ReflectiveOperationException {
    return newMessage(schema).getClass();
  }

  private static Message newMessage(Schema schema) {
    ApiMessageType type = ApiMessageType.fromApiKey(schema.api.id());
    return schema.isRequest ? type.newRequest() : type.newResponse();
  }

  @Override
  String setter(String fieldName) {
    return "set" + fieldName.substring(0, 1).toUpperCase(Locale.ROOT) + fieldName.substring(1);
  }

  @Override
  Object toValue(Class<?> target, String type, String text) {
    if (type.equals("uuid")) {
      Uuid uuid = Uuid.fromString(text);
      return new org.apache.kafka.common.Uuid(uuid.mostSignificantBits(), uuid.leastSignificantBits());
    }
    byte[] bytes = Base64.getDecoder().decode(text);
    if (target == BaseRecords.class) {
      return MemoryRecords.readableRecords(ByteBuffer.wrap(bytes));
    }
    return target == ByteBuffer.class ? ByteBuffer.wrap(bytes) : bytes;
  }

  @Override
  Object fromValue(Object value) {
    return switch (value) {
      case byte[] bytes -> Base64.getEncoder().encodeToString(bytes);
      case ByteBuffer buffer -> base64(buffer);
      case MemoryRecords records -> base64(records.buffer());
      case org.apache.kafka.common.Uuid uuid ->
        new Uuid(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits()).toString();
      default -> value;
    };
  }

  @Override
  byte[] write(Object message, short version) {
    return bytes(MessageUtil.toByteBufferAccessor((Message) message, version).buffer());
  }

  @Override
  Object read(Schema schema, byte[] bytes, short version) {
    Message message = newMessage(schema);
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    message.read(new ByteBufferAccessor(buffer), version);
    if (buffer.hasRemaining()) {
      throw new AssertionError(buffer.remaining() + " bytes left");
    }
    return message;
  }

  /** A future peer: each of its structs carries a tagged field that no current schema has. */
  static final class OfTomorrow extends ApacheDialect {
    @Override
    void made(Object struct) {
      ((Message) struct).unknownTaggedFields().add(new RawTaggedField(1000, new byte[] {1, 2, 3}));
    }
  }
}
