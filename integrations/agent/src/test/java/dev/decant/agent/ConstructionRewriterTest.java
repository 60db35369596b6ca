package dev.decant.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.apache.DecantConsumer;
import dev.decant.kafka.apache.DecantProducer;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compiled classes run on Decant's stand-ins once they are changed, with the JVM's verifier on. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ConstructionRewriterTest {
  private static final ClassDesc PRODUCER = ClassDesc.of(KafkaProducer.class.getName());
  private static final ClassDesc MAP = ClassDesc.of(Map.class.getName());
  private static final MethodTypeDesc BY_MAP = MethodTypeDesc.of(ConstantDescs.CD_void, MAP);
  private static final Map<String, Object> SETTINGS = Map.of("bootstrap.servers", "127.0.0.1:1", "key.serializer",
      StringSerializer.class.getName(), "value.serializer", StringSerializer.class.getName());

  private final AgentLog log = new AgentLog(AgentOptions.Detail.OFF);

  @BeforeEach
  void start() {
    Construction.use(new Switch(List.of(), log));
  }

  private static List<?> run(Class<?> type, String method) throws ReflectiveOperationException {
    return (List<?>) type.getMethod(method).invoke(null);
  }

  private static Object behind(Object client) throws ReflectiveOperationException {
    assertThat(client).isInstanceOfAny(KafkaProducer.class, KafkaConsumer.class);
    return client.getClass().getField("decant").get(client);
  }

  private static void assertOnDecant(Object client) throws ReflectiveOperationException {
    assertThat(behind(client)).isInstanceOf(client instanceof KafkaProducer<?, ?>
        ? DecantProducer.class
        : DecantConsumer.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"eachConstructor", "fields", "arrays", "conditionsInArguments", "nested", "tryBlocks",
      "references", "types", "calls"})
  void clientsAreDecantsHoweverTheyAreConstructed(String method) throws ReflectiveOperationException {
    ChangingLoader loader = new ChangingLoader();

    List<?> clients = run(loader.loadClass("app.Samples"), method);

    assertThat(clients).isNotEmpty();
    for (Object client : clients) {
      assertOnDecant(client);
    }
    assertThat(loader.reasons).isEmpty();
    assertThat(loader.changed).contains("app.Samples");
  }

  @Test
  void argumentsReachDecantsConstructor() throws ReflectiveOperationException {
    List<?> clients = run(new ChangingLoader().loadClass("app.Samples"), "eachConstructor");

    assertThat(((DecantProducer<?, ?>) behind(clients.get(0))).settings).asInstanceOf(
        InstanceOfAssertFactories.MAP).containsEntry("bootstrap.servers", "127.0.0.1:1");
    assertThat(((DecantConsumer<?, ?>) behind(clients.get(5))).settings).isInstanceOf(Properties.class);
  }

  @Test
  void aClassThatIsLeftAloneExchangesClientsWithOneThatIsNot() throws ReflectiveOperationException {
    List<?> clients = run(new ChangingLoader("app.Neighbour").loadClass("app.Neighbour"), "exchange");

    assertThat(clients.get(0).getClass()).isEqualTo(KafkaProducer.class);
    assertOnDecant(clients.get(1));
    assertThat(clients.get(2).getClass()).isEqualTo(KafkaConsumer.class);
    ((KafkaProducer<?, ?>) clients.get(0)).close(Duration.ZERO);
    ((KafkaConsumer<?, ?>) clients.get(2)).close();
  }

  @Test
  void aSubclassIsLeftAloneWithTheClientsThatItConstructs() throws Exception {
    ChangingLoader loader = new ChangingLoader();
    Class<?> type = loader.loadClass("app.Extended");

    assertThat(loader.changed).isEmpty();
    assertThat(loader.reasons).containsExactly("app.Extended: it extends KafkaProducer");
    try (KafkaProducer<?, ?> extended = (KafkaProducer<?, ?>) type.getConstructor(Map.class).newInstance(SETTINGS);
        KafkaProducer<?, ?> plain = (KafkaProducer<?, ?>) type.getMethod("plain", Map.class).invoke(null, SETTINGS)) {
      assertThat(plain.getClass()).isEqualTo(KafkaProducer.class);
      extended.close(Duration.ZERO);
      assertThat(type.getMethod("isClosed").invoke(extended)).isEqualTo(true);
    }
  }

  @Test
  void aNameInAStringIsNamedAndTheRestOfItsClassIsSwitched() throws Exception {
    ChangingLoader loader = new ChangingLoader();
    Class<?> type = loader.loadClass("app.ByName");

    assertThat(loader.reasons).singleElement().asString().startsWith("app.ByName: it has the name of KafkaProducer");
    assertOnDecant(type.getMethod("directly").invoke(null));
    try (KafkaProducer<?, ?> byName = (KafkaProducer<?, ?>) type.getMethod("byName").invoke(null)) {
      assertThat(byName.getClass()).isEqualTo(KafkaProducer.class);
      byName.close(Duration.ZERO);
    }
  }

  @Test
  void aClassThatLooksInsideIsLeftAlone() throws Exception {
    ChangingLoader loader = new ChangingLoader();
    Class<?> type = loader.loadClass("app.Inside");

    assertThat(loader.reasons).containsExactly("app.Inside: it looks at the members of the class by reflection");
    assertThat(loader.changed).isEmpty();
    assertThat(type.getMethod("clientId").invoke(null)).asString().startsWith("producer-");
  }

  @Test
  void aClassThatSerializesItsConstructorIsLeftAlone() throws Exception {
    ChangingLoader loader = new ChangingLoader();
    Class<?> type = loader.loadClass("app.Serialized");

    assertThat(loader.reasons).containsExactly("app.Serialized: it has a serializable reference to the constructor");
    try (KafkaProducer<?, ?> received = (KafkaProducer<?, ?>) type.getMethod("sentAndReceived").invoke(null)) {
      assertThat(received.getClass()).isEqualTo(KafkaProducer.class);
      received.close(Duration.ZERO);
    }
  }

  @Test
  void methodsWithoutAConstructionStayAsTheyWere() throws Exception {
    byte[] before = ChangingLoader.classFile("app.Samples");
    byte[] after = Objects.requireNonNull(ConstructionRewriter.rewrite(before, _ -> {}));

    assertThat(codeOf(after, "same")).isEqualTo(codeOf(before, "same"));
    assertThat(codeOf(after, "fields")).isNotEqualTo(codeOf(before, "fields"));
  }

  private static byte[] codeOf(byte[] classFile, String method) {
    return ClassFile.of().parse(classFile).methods().stream().filter(m -> m.methodName().equalsString(method))
        .map(m -> m.findAttribute(Attributes.code()).orElseThrow().codeArray()).findFirst()
        .orElseThrow();
  }

  private static byte[] generated(int version, Consumer<CodeBuilder> code) {
    return ClassFile.of().build(ClassDesc.of("app.Generated"), type -> {
      type.withVersion(version, 0).withFlags(ClassFile.ACC_PUBLIC | ClassFile.ACC_SUPER);
      type.withMethodBody("run", MethodTypeDesc.of(ConstantDescs.CD_Object, MAP),
          ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC, code);
    });
  }

  /** Eclipse's compiler leaves out the dup if nothing uses the object. */
  @Test
  void aConstructionWithoutDupIsSwitched() throws Exception {
    ChangingLoader loader = new ChangingLoader();
    Class<?> type = loader.define("app.Generated", generated(ClassFile.JAVA_17_VERSION,
        code -> code.new_(PRODUCER).aload(0).invokespecial(PRODUCER, "<init>", BY_MAP).aload(0).areturn()));

    Map<String, Object> settings = new HashMap<>(SETTINGS);
    assertThat(type.getMethod("run", Map.class).invoke(null, settings)).isSameAs(settings);
    assertThat(log.report()).containsExactly(
        "switched: app.Generated constructs DecantProducer in place of KafkaProducer");
  }

  @Test
  void codeOfAnUnknownKindIsLeftAlone() {
    ChangingLoader loader = new ChangingLoader();
    loader.define("app.Generated", generated(ClassFile.JAVA_17_VERSION, code -> code.new_(PRODUCER).pop()
        .new_(PRODUCER).dup().aload(0).invokespecial(PRODUCER, "<init>", BY_MAP).areturn()));

    assertThat(loader.reasons).containsExactly("app.Generated: " + ConstructionPlan.UNUSUAL_CODE);
  }

  /** The object lies twice under the arguments, and once more for a second use. */
  @Test
  void aSecondDupIsLeftAlone() {
    ChangingLoader loader = new ChangingLoader();
    loader.define("app.Generated", generated(ClassFile.JAVA_17_VERSION, code -> code.new_(PRODUCER).dup().dup()
        .aload(0).invokespecial(PRODUCER, "<init>", BY_MAP).pop().areturn()));

    assertThat(loader.reasons).containsExactly("app.Generated: " + ConstructionPlan.UNUSUAL_CODE);
  }

  @Test
  void aClassFileOfJava6IsLeftAlone() {
    ChangingLoader loader = new ChangingLoader();
    loader.define("app.Generated", generated(ClassFile.JAVA_6_VERSION,
        code -> code.new_(PRODUCER).dup().aload(0).invokespecial(PRODUCER, "<init>", BY_MAP).areturn()));

    assertThat(loader.reasons).containsExactly("app.Generated: its class file is older than Java 7");
  }
}
