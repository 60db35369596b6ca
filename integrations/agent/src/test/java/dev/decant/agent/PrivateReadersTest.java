package dev.decant.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.invoke.MethodType;
import java.net.URL;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** parallel-consumer took a transactional producer for a plain one: the private field that it reads was null. */
class PrivateReadersTest {
  private final AgentLog log = new AgentLog(AgentOptions.Detail.OFF);
  private final ApacheClasses classes = new ApacheClasses(List.of());

  /** A loader with the application, and a file of a library. */
  private static final class WithLibrary extends ClassLoader {
    private final String file;

    WithLibrary(String file) {
      super(PrivateReadersTest.class.getClassLoader());
      this.file = file;
    }

    @Override
    public @Nullable URL getResource(String name) {
      return super.getResource(name.equals(file) ? "app/Samples.class" : name);
    }

    Class<?> define() throws IOException {
      byte[] classFile = ChangingLoader.classFile("app.Samples");
      return defineClass("app.Samples", classFile, 0, classFile.length);
    }
  }

  @ParameterizedTest
  @CsvSource({"io/confluent/parallelconsumer/ParallelConsumerOptions.class,parallel-consumer",
      "com/hazelcast/jet/kafka/impl/ResumeTransactionUtil.class,hazelcast-jet-kafka"})
  void beforeALibraryThatReadsPrivateFieldsClientsStayApaches(String file, String library) throws IOException {
    Switch started = new Switch(List.of(), classes, log);
    MethodType type = MethodType.methodType(KafkaProducer.class, Map.class);

    assertThat(started.constructor(new WithLibrary(file).define(), type)).isNull();

    assertThat(log.report()).containsExactly("left alone: app.Samples: " + library
        + " is there, and reads private fields of the clients that it is given");
    assertThat(started.constructor(PrivateReadersTest.class, type)).as("elsewhere").isNotNull();
  }

  private boolean reads(String name) throws IOException {
    return PrivateReaders.readBy(new ParsedClass(ChangingLoader.classFile(name)), classes,
        PrivateReadersTest.class.getClassLoader()).isPresent();
  }

  @Test
  void aClassThatReadsFieldsOfClientsOfOthersIsRecognised() throws IOException {
    assertThat(reads("app.Reader")).isTrue();
    assertThat(reads("app.Samples")).isFalse();
    assertThat(reads("app.ByName")).isFalse();
  }
}
