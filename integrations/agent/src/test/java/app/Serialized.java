package app;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.clients.producer.KafkaProducer;

/** Sends its constructor to another process, as data pipelines do. */
public final class Serialized {
  private Serialized() {}

  /** A function that can be sent. */
  @FunctionalInterface
  interface Factory extends Function<Map<String, Object>, KafkaProducer<String, String>>, Serializable {}

  public static Object sentAndReceived() throws IOException, ClassNotFoundException {
    Factory factory = KafkaProducer::new;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(factory);
    }
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())) {
      @Override
      protected Class<?> resolveClass(java.io.ObjectStreamClass type) throws ClassNotFoundException {
        return Class.forName(type.getName(), false, Serialized.class.getClassLoader());
      }
    }) {
      return ((Factory) in.readObject()).apply(Samples.settings());
    }
  }
}
