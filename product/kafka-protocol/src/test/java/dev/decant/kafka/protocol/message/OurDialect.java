package dev.decant.kafka.protocol.message;

import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.Uuid;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Objects;

/** Converts Decant's messages. */
final class OurDialect extends Dialect {
  private static final int LARGEST_MESSAGE = 1 << 20;

  private final ByteBuffer memory = ByteBuffer.allocateDirect(LARGEST_MESSAGE);

  @Override
  Class<?> bodyClass(Schema schema) throws ReflectiveOperationException {
    return Class.forName(Dialect.class.getPackageName() + "." + schema.name);
  }

  @Override
  String setter(String fieldName) {
    return lowerFirst(fieldName);
  }

  @Override
  Object toValue(Class<?> target, String type, String text) {
    return type.equals("uuid") ? Uuid.fromString(text) : ByteBuffer.wrap(Base64.getDecoder().decode(text));
  }

  @Override
  Object fromValue(Object value) {
    return value instanceof ByteBuffer buffer ? base64(buffer) : value instanceof Uuid ? value.toString() : value;
  }

  @Override
  byte[] write(Object message, short version) throws ReflectiveOperationException {
    ProtocolWriter out = new ProtocolWriter(memory, 0, memory.capacity());
    invoke(message.getClass().getMethod("write", ProtocolWriter.class, short.class), message, out, version);
    return bytes(memory.duplicate().limit(out.position()));
  }

  @Override
  Object read(Schema schema, byte[] bytes, short version) throws ReflectiveOperationException {
    ProtocolReader in = new ProtocolReader(ByteBuffer.wrap(bytes), 0, bytes.length);
    Method read = bodyClass(schema).getMethod("read", ProtocolReader.class, short.class);
    Object message = Objects.requireNonNull(invoke(read, null, in, version));
    if (in.remaining() > 0) {
      throw new AssertionError(in.remaining() + " bytes left");
    }
    return message;
  }
}
