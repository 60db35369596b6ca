package dev.decant.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassReader;

class ClassSwitchTest {
  /** Tags of constants (JVMS 4.4). */
  private static final int CLASS = 7;
  private static final int NAME_AND_TYPE = 12;
  private static final ClassSwitch TO_STAND_INS = new ClassSwitch(Clients.STAND_IN.replacements());

  private static byte[] file(Class<?> type) throws IOException {
    String name = type.getName().replace('.', '/') + ".class";
    try (InputStream in = Objects.requireNonNull(type.getClassLoader().getResourceAsStream(name), name)) {
      return in.readAllBytes();
    }
  }

  private static byte[] switched(Class<?> type) throws IOException {
    return Objects.requireNonNull(TO_STAND_INS.apply(file(type)), "nothing replaced");
  }

  /** Loads one class from bytes, and all others as the tests have them. */
  private static final class OneClass extends ClassLoader {
    private final String name;
    private final byte[] bytes;

    OneClass(String name, byte[] bytes) {
      super(ClassSwitchTest.class.getClassLoader());
      this.name = name;
      this.bytes = bytes;
    }

    @Override
    protected Class<?> loadClass(String wanted, boolean resolve) throws ClassNotFoundException {
      if (!wanted.equals(name)) {
        return super.loadClass(wanted, resolve);
      }
      Class<?> loaded = findLoadedClass(wanted);
      return loaded == null ? defineClass(wanted, bytes, 0, bytes.length) : loaded;
    }
  }

  @Test
  @SuppressWarnings("unchecked")
  void codeThatWasCompiledAgainstApachesClientsRunsOnOthers() throws IOException, ReflectiveOperationException {
    OneClass loader = new OneClass(UsesOfClients.class.getName(), switched(UsesOfClients.class));
    Object uses = loader.loadClass(UsesOfClients.class.getName()).getConstructor().newInstance();
    Map<String, Object> settings = Map.of("bootstrap.servers", "127.0.0.1:1", "key.serializer",
        ByteArraySerializer.class, "value.serializer", ByteArraySerializer.class, "key.deserializer",
        ByteArrayDeserializer.class, "value.deserializer", ByteArrayDeserializer.class);

    List<Object> found = ((Function<Map<String, Object>, List<Object>>) uses).apply(settings);

    assertThat(found).containsExactly(StandInProducer.class, StandInConsumer.class, StandInProducer.class,
        StandInProducer[].class, "producer", "consumer", true, true,
        "org/apache/kafka/clients/producer/KafkaProducer in a text");
  }

  @Test
  void noNameIsLeft() throws IOException, ReflectiveOperationException {
    byte[] switched = switched(UsesOfClients.class);
    ClassReader reader = new ClassReader(switched);
    char[] text = new char[reader.getMaxStringLength()];
    List<String> names = new ArrayList<>();
    for (int i = 1; i < reader.getItemCount(); i++) {
      int at = reader.getItem(i);
      // the second half of a long or a double has no place
      int tag = at == 0 ? 0 : reader.readByte(at - 1);
      if (tag == CLASS) {
        names.add(reader.readUTF8(at, text));
      } else if (tag == NAME_AND_TYPE) {
        names.add(reader.readUTF8(at + 2, text));
      }
    }

    assertThat(names).isNotEmpty().anyMatch(name -> name.contains("StandInProducer"))
        .noneMatch(name -> name.contains("KafkaProducer") || name.contains("KafkaConsumer"));
    String name = UsesOfClients.class.getName();
    assertThat(Class.forName(name, true, new OneClass(name, switched))).as("the JVM's verifier accepts it").isNotNull();
  }

  @Test
  void classWithoutTheNamesIsLeftAlone() throws IOException {
    assertThat(TO_STAND_INS.apply(file(Row.class))).isNull();
  }

  /** Its own inner classes, and classes whose names begin alike, are other classes. */
  @Test
  void onlyTheWholeNameCounts() throws IOException {
    byte[] bytes = file(UsesOfClients.class);

    assertThat(new ClassSwitch(Map.of("org.apache.kafka.clients.producer.Kafka", "a.B")).apply(bytes)).isNull();
  }
}
