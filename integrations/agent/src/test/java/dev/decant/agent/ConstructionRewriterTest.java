package dev.decant.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.agent.asm.ClassWriter;
import dev.decant.agent.asm.Label;
import dev.decant.agent.asm.MethodVisitor;
import dev.decant.agent.asm.Opcodes;
import dev.decant.kafka.apache.DecantConsumer;
import dev.decant.kafka.apache.DecantProducer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Changed classes run on Decant's stand-ins, with the JVM's verifier on. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ConstructionRewriterTest {
  private static final String PRODUCER = ApacheClass.published(ClientKind.PRODUCER).internalName();
  private static final int MAJOR_AT = 6;
  private static final String RUN = "(Ljava/util/Map;)Ljava/lang/Object;";
  private static final Map<String, Object> SETTINGS = Map.of("bootstrap.servers", "127.0.0.1:1", "key.serializer",
      StringSerializer.class.getName(), "value.serializer", StringSerializer.class.getName());

  private final AgentLog log = new AgentLog(AgentOptions.Detail.OFF);

  @BeforeEach
  void start() {
    Construction.use(new Switch(List.of(), new ApacheClasses(List.of()), log));
  }

  private static byte @Nullable [] rewrite(byte[] classFile, Consumer<String> reasons) {
    return ConstructionRewriter.rewrite(classFile, new ApacheClasses(List.of()),
        ConstructionRewriterTest.class.getClassLoader(), reasons);
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

  /** The KafkaProducer of this test was loaded without the agent. */
  @Test
  void aSubclassOfAClassThatWasLoadedBeforeKeepsApachesClientAndConstructsDecants() throws Exception {
    ChangingLoader loader = new ChangingLoader();
    Class<?> type = loader.loadClass("app.Extended");

    try (KafkaProducer<?, ?> extended = (KafkaProducer<?, ?>) type.getConstructor(Map.class).newInstance(SETTINGS);
        KafkaProducer<?, ?> plain = (KafkaProducer<?, ?>) type.getMethod("plain", Map.class).invoke(null, SETTINGS)) {
      assertOnDecant(plain);
      extended.close(Duration.ZERO);
      assertThat(type.getMethod("isClosed").invoke(extended)).isEqualTo(true);
    }
    assertThat(log.report()).contains("left alone: app.Extended: " + KafkaProducer.class.getName()
        + ", which it extends, was loaded without this agent");
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
    byte[] after = Objects.requireNonNull(rewrite(before, reason -> {}));

    assertThat(CodeBytes.of(after, "same")).isNotEmpty().isEqualTo(CodeBytes.of(before, "same"));
    assertThat(CodeBytes.of(after, "fields")).isNotEqualTo(CodeBytes.of(before, "fields"));
  }

  private static byte[] generated(int version, Consumer<MethodVisitor> code) {
    ClassWriter type = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    type.visit(version, Opcodes.ACC_PUBLIC | Opcodes.ACC_SUPER, "app/Generated", null, "java/lang/Object", null);
    MethodVisitor run = type.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, "run", RUN, null, null);
    run.visitCode();
    code.accept(run);
    run.visitMaxs(0, 0);
    run.visitEnd();
    type.visitEnd();
    return type.toByteArray();
  }

  private static void producer(MethodVisitor code) {
    code.visitTypeInsn(Opcodes.NEW, PRODUCER);
  }

  private static void constructor(MethodVisitor code) {
    code.visitVarInsn(Opcodes.ALOAD, 0);
    code.visitMethodInsn(Opcodes.INVOKESPECIAL, PRODUCER, "<init>", "(Ljava/util/Map;)V", false);
  }

  /** Eclipse's compiler omits the dup if the object is not used. */
  @Test
  void aConstructionWithoutDupIsSwitched() throws Exception {
    ChangingLoader loader = new ChangingLoader();
    Class<?> type = loader.define("app.Generated", generated(Opcodes.V17, code -> {
      producer(code);
      constructor(code);
      code.visitVarInsn(Opcodes.ALOAD, 0);
      code.visitInsn(Opcodes.ARETURN);
    }));

    Map<String, Object> settings = new HashMap<>(SETTINGS);
    assertThat(type.getMethod("run", Map.class).invoke(null, settings)).isSameAs(settings);
    assertThat(log.report()).containsExactly(
        "switched: app.Generated constructs DecantProducer in place of KafkaProducer");
  }

  /** The frame has an uninitialized object; the instruction that made it comes later in the code. */
  @Test
  void aFrameBeforeTheNewThatItNamesIsChangedToo() throws Exception {
    byte[] classFile = generated(Opcodes.V17, code -> {
      Label made = new Label();
      Label between = new Label();
      Label called = new Label();
      Object[] object = {made, made};
      code.visitJumpInsn(Opcodes.GOTO, made);
      code.visitLabel(between);
      code.visitFrame(Opcodes.F_FULL, 1, new Object[] {"java/util/Map"}, 2, object);
      code.visitJumpInsn(Opcodes.GOTO, called);
      code.visitLabel(made);
      code.visitFrame(Opcodes.F_FULL, 1, new Object[] {"java/util/Map"}, 0, new Object[0]);
      producer(code);
      code.visitInsn(Opcodes.DUP);
      code.visitJumpInsn(Opcodes.GOTO, between);
      code.visitLabel(called);
      code.visitFrame(Opcodes.F_FULL, 1, new Object[] {"java/util/Map"}, 2, object);
      constructor(code);
      code.visitInsn(Opcodes.ARETURN);
    });
    Class<?> unchanged = new ChangingLoader("app.Generated").define("app.Generated", classFile);
    assertThat(unchanged.getMethod("run", Map.class)).as("the JVM takes the code as it is").isNotNull();

    Class<?> type = new ChangingLoader().define("app.Generated", classFile);

    assertOnDecant(type.getMethod("run", Map.class).invoke(null, new HashMap<>(SETTINGS)));
  }

  /** The change takes a byte more between a jump and its target, and 16 bits do not hold the distance any more. */
  @Test
  void aJumpThatBecomesTooWideStaysAJump() throws Exception {
    Class<?> type = new ChangingLoader().define("app.Generated", generated(Opcodes.V17, code -> {
      Label end = new Label();
      code.visitVarInsn(Opcodes.ALOAD, 0);
      code.visitJumpInsn(Opcodes.IFNULL, end);
      for (int i = 0; i < Short.MAX_VALUE - 10; i++) {
        code.visitInsn(Opcodes.NOP);
      }
      producer(code);
      constructor(code);
      code.visitLabel(end);
      code.visitFrame(Opcodes.F_SAME, 0, null, 0, null);
      code.visitVarInsn(Opcodes.ALOAD, 0);
      code.visitInsn(Opcodes.ARETURN);
    }));

    Map<String, Object> settings = new HashMap<>(SETTINGS);
    assertThat(type.getMethod("run", Map.class).invoke(null, settings)).isSameAs(settings);
    assertThat(type.getMethod("run", Map.class).invoke(null, (Object) null)).isNull();
    assertThat(log.report()).hasSize(1);
  }

  @Test
  void codeOfAnUnknownKindIsLeftAlone() {
    ChangingLoader loader = new ChangingLoader();
    loader.define("app.Generated", generated(Opcodes.V17, code -> {
      producer(code);
      code.visitInsn(Opcodes.POP);
      producer(code);
      code.visitInsn(Opcodes.DUP);
      constructor(code);
      code.visitInsn(Opcodes.ARETURN);
    }));

    assertThat(loader.reasons).containsExactly("app.Generated: " + ConstructionPlan.UNUSUAL_CODE);
  }

  /** The object is twice under the arguments, and once more for a second use. */
  @Test
  void aSecondDupIsLeftAlone() {
    ChangingLoader loader = new ChangingLoader();
    loader.define("app.Generated", generated(Opcodes.V17, code -> {
      producer(code);
      code.visitInsn(Opcodes.DUP);
      code.visitInsn(Opcodes.DUP);
      constructor(code);
      code.visitInsn(Opcodes.POP);
      code.visitInsn(Opcodes.ARETURN);
    }));

    assertThat(loader.reasons).containsExactly("app.Generated: " + ConstructionPlan.UNUSUAL_CODE);
  }

  /** Class files before Java 7 have no invokedynamic. Before Java 6 they may call subroutines, and have no frames. */
  @ParameterizedTest
  @ValueSource(ints = {Opcodes.V1_4, Opcodes.V1_6})
  void aClassFileFromBeforeJava7IsLeftAlone(int version) throws Exception {
    ChangingLoader loader = new ChangingLoader();
    Class<?> type = loader.define("app.Generated", generated(version, code -> {
      if (version < Opcodes.V1_6) {
        Label subroutine = new Label();
        Label after = new Label();
        code.visitJumpInsn(Opcodes.JSR, subroutine);
        code.visitJumpInsn(Opcodes.GOTO, after);
        code.visitLabel(subroutine);
        code.visitVarInsn(Opcodes.ASTORE, 1);
        code.visitVarInsn(Opcodes.RET, 1);
        code.visitLabel(after);
      }
      producer(code);
      code.visitInsn(Opcodes.DUP);
      constructor(code);
      code.visitInsn(Opcodes.ARETURN);
    }));

    assertThat(loader.reasons).containsExactly("app.Generated: its class file is older than Java 7");
    try (KafkaProducer<?, ?> producer = (KafkaProducer<?, ?>) type.getMethod("run", Map.class).invoke(null, SETTINGS)) {
      assertThat(producer.getClass()).isEqualTo(KafkaProducer.class);
      producer.close(Duration.ZERO);
    }
  }

  private static byte[] ofVersion(int major, byte[] classFile) {
    byte[] copy = classFile.clone();
    ByteBuffer.wrap(copy).putShort(MAJOR_AT, (short) major);
    return copy;
  }

  @Test
  void aClassFileThatIsNewerThanTheAgentIsLeftAlone() throws Exception {
    List<String> reasons = new ArrayList<>();

    assertThat(rewrite(ofVersion(99, ChangingLoader.classFile("app.Samples")), reasons::add))
        .isNull();

    assertThat(reasons).containsExactly(
        "its class file has version 99.0, which is newer than this agent; take a newer one");
  }

  /** A class may have a name that begins like one of Apache's. */
  @Test
  void aNewerClassFileWithoutApachesClassesIsNotNamed() {
    byte[] classFile = generated(Opcodes.V17, code -> {
      code.visitLdcInsn("KafkaProducer");
      code.visitLdcInsn(PRODUCER + "Factory");
      code.visitInsn(Opcodes.ARETURN);
    });
    List<String> reasons = new ArrayList<>();

    assertThat(UnparsedClass.mentionsClient(classFile)).isTrue();
    assertThat(rewrite(ofVersion(99, classFile), reasons::add)).isNull();
    assertThat(reasons).isEmpty();
  }

  /** Programs move to a new Java before they take a new agent, so the agent's ASM must know the next releases. */
  @Test
  void classFilesOfTheNextJavaReleasesAreChanged() throws Exception {
    byte[] classFile = ChangingLoader.classFile("app.Samples");

    for (int major : List.of(Opcodes.V25, Opcodes.V26, Opcodes.V27)) {
      assertThat(rewrite(ofVersion(major, classFile), reason -> {
        throw new AssertionError(reason);
      })).as("version %d", major).isNotNull();
    }
  }
}
