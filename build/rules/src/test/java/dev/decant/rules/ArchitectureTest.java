package dev.decant.rules;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleNameStartingWith;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.decant.agent.DecantAgent;
import dev.decant.carriers.CarrierPriority;
import dev.decant.completion.Completion;
import dev.decant.fake.FakeCluster;
import dev.decant.fix.FixEngine;
import dev.decant.fix.quickfix.SocketAcceptor;
import dev.decant.flink.DecantKafkaSink;
import dev.decant.kafka.apache.DecantProducer;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.codec.lz4.Lz4Codec;
import dev.decant.kafka.codec.snappy.SnappyCodec;
import dev.decant.kafka.codec.zstd.ZstdCodec;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.streams.DecantClientSupplier;
import dev.decant.kafka.work.Work;
import dev.decant.kafka.work.apache.ApacheWork;
import dev.decant.micrometer.KafkaClientMetrics;
import dev.decant.micronaut.DecantConsumerFactory;
import dev.decant.opentelemetry.RecordPropagation;
import dev.decant.spring.boot.DecantKafkaAutoConfiguration;
import dev.decant.spring.kafka.DecantProducerFactory;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Tests the dependencies of modules and packages, and calls that shipped code must not make. Module descriptors enforce
 * dependencies at compile time; this test does so for the packages within a module, and for changes of a descriptor.
 */
class ArchitectureTest {
  private static final JavaClasses SHIPPED = new ClassFileImporter()
      .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
      .importPackages("dev.decant");

  private static final DescribedPredicate<JavaClass> LAB = resideInAPackage("dev.decant.lab..");
  private static final DescribedPredicate<JavaClass> TESTKIT = resideInAPackage("dev.decant.testkit..");
  private static final DescribedPredicate<JavaClass> KAFKA_PROTOCOL = resideInAnyPackage("dev.decant.kafka.protocol..",
      "dev.decant.kafka.record..");
  private static final DescribedPredicate<JavaClass> LZ4_CODEC = resideInAPackage("dev.decant.kafka.codec.lz4..");
  private static final DescribedPredicate<JavaClass> SNAPPY_CODEC = resideInAPackage("dev.decant.kafka.codec.snappy..");
  private static final DescribedPredicate<JavaClass> ZSTD_CODEC = resideInAPackage("dev.decant.kafka.codec.zstd..");
  private static final DescribedPredicate<JavaClass> CODECS = LZ4_CODEC.or(SNAPPY_CODEC).or(ZSTD_CODEC);
  private static final DescribedPredicate<JavaClass> KAFKA = resideInAPackage("dev.decant.kafka..")
      .and(not(KAFKA_PROTOCOL)).and(not(CODECS))
      .and(not(resideInAnyPackage("dev.decant.kafka.apache..", "dev.decant.kafka.streams..",
          "dev.decant.kafka.work..")))
      .as("the Kafka client");
  private static final DescribedPredicate<JavaClass> APACHES_INTERFACES = resideInAPackage("dev.decant.kafka.apache..");
  private static final DescribedPredicate<JavaClass> WORK_ON_APACHES_CLIENTS = resideInAPackage(
      "dev.decant.kafka.work.apache..");
  private static final DescribedPredicate<JavaClass> PARALLEL_WORK = resideInAPackage("dev.decant.kafka.work..")
      .and(not(WORK_ON_APACHES_CLIENTS)).as("parallel work");
  private static final DescribedPredicate<JavaClass> STREAMS_CLIENTS = resideInAPackage("dev.decant.kafka.streams..");
  private static final DescribedPredicate<JavaClass> SPRING_FACTORIES = resideInAPackage("dev.decant.spring.kafka..");
  private static final DescribedPredicate<JavaClass> BOOT_STARTER = resideInAPackage("dev.decant.spring.boot..");
  private static final DescribedPredicate<JavaClass> FLINK_SINK = resideInAPackage("dev.decant.flink..");
  private static final DescribedPredicate<JavaClass> MICRONAUT_FACTORIES = resideInAPackage("dev.decant.micronaut..");
  private static final DescribedPredicate<JavaClass> MICROMETER_ADAPTER = resideInAPackage("dev.decant.micrometer..");
  private static final DescribedPredicate<JavaClass> OPENTELEMETRY_ADAPTER = resideInAPackage(
      "dev.decant.opentelemetry..");
  /** What belongs to no other module: a package that nobody has thought of here gets the strictest rules. */
  private static final DescribedPredicate<JavaClass> CORE = resideInAPackage("dev.decant..")
      .and(not(resideInAnyPackage("dev.decant.carriers..", "dev.decant.fix..", "dev.decant.kafka..",
          "dev.decant.fake..", "dev.decant.flink..", "dev.decant.micrometer..",
          "dev.decant.micronaut..", "dev.decant.opentelemetry..", "dev.decant.spring..",
          "dev.decant.testkit..", "dev.decant.lab..", "dev.decant.agent..")))
      .as("core");
  private static final DescribedPredicate<JavaClass> FAKE_BROKER = resideInAPackage("dev.decant.fake..");
  /** Has its APIs from the test that uses it. */
  private static final DescribedPredicate<JavaClass> FAKE_BROKER_IN_JUNIT = resideInAPackage("dev.decant.fake.junit");
  private static final DescribedPredicate<JavaClass> CARRIERS = resideInAPackage("dev.decant.carriers..");
  private static final DescribedPredicate<JavaClass> AGENT = resideInAPackage("dev.decant.agent..");
  private static final DescribedPredicate<JavaClass> QUICKFIX_ADAPTER = resideInAPackage("dev.decant.fix.quickfix..");
  private static final DescribedPredicate<JavaClass> FIX = resideInAPackage("dev.decant.fix..")
      .and(not(QUICKFIX_ADAPTER)).as("the FIX engine");
  /** Uses a module that a runtime may lack: see the check of {@code EngineOperators}. */
  private static final DescribedPredicate<JavaClass> FIX_BEANS = resideInAPackage("dev.decant.fix.jmx..");
  /** Reads dictionaries. */
  private static final DescribedPredicate<JavaClass> JDK_XML = resideInAnyPackage("javax.xml..", "org.xml.sax..",
      "org.w3c.dom..");
  private static final DescribedPredicate<JavaClass> JDK = resideInAnyPackage("java..", "javax.crypto..",
      "javax.net..", "javax.security..", "jdk.jfr..");
  private static final DescribedPredicate<JavaClass> JDK_OF_CORE = resideInAnyPackage("java..", "javax.crypto..",
      "javax.net.ssl..", "javax.security.auth..", "jdk.jfr..");
  /** Only this package reads the flags of a JVM, and needs the beans that have them. */
  private static final DescribedPredicate<JavaClass> RUNTIME = resideInAPackage("dev.decant.runtime..");
  private static final DescribedPredicate<JavaClass> HOTSPOT_BEANS = resideInAPackage("com.sun.management..");
  private static final DescribedPredicate<JavaClass> MICROMETER = resideInAPackage("io.micrometer.core..");
  private static final DescribedPredicate<JavaClass> OPENTELEMETRY = resideInAnyPackage("io.opentelemetry.api..",
      "io.opentelemetry.context..");
  private static final DescribedPredicate<JavaClass> LZ4 = resideInAPackage("net.jpountz..");
  private static final DescribedPredicate<JavaClass> SNAPPY = resideInAPackage("org.xerial.snappy..");
  private static final DescribedPredicate<JavaClass> ZSTD = resideInAPackage("com.github.luben.zstd..");
  private static final DescribedPredicate<JavaClass> APACHES_CLIENT = resideInAnyPackage(
      "org.apache.kafka.clients..", "org.apache.kafka.common..");
  private static final DescribedPredicate<JavaClass> STREAMS = resideInAPackage("org.apache.kafka.streams..");
  private static final DescribedPredicate<JavaClass> SPRING = resideInAPackage("org.springframework..");
  /** Its logs are those of SLF4J. */
  private static final DescribedPredicate<JavaClass> FLINK = resideInAnyPackage("org.apache.flink..", "org.slf4j..");
  private static final DescribedPredicate<JavaClass> MICRONAUT = resideInAnyPackage("io.micronaut..",
      "jakarta.inject..");
  private static final DescribedPredicate<JavaClass> QUICKFIX = resideInAnyPackage("quickfix..", "org.quickfixj..");
  private static final DescribedPredicate<JavaClass> ANNOTATIONS = resideInAPackage("org.jspecify.annotations..");

  private static final DescribedPredicate<JavaClass> CLIENT_SIDE = KAFKA.or(KAFKA_PROTOCOL).or(CORE).or(JDK_OF_CORE);

  /** What a codec may see of us: what it implements, what it is for, and what it throws. */
  private static final DescribedPredicate<JavaClass> CODEC_SIDE = resideInAnyPackage("dev.decant.kafka.compression..",
      "dev.decant.kafka.record..", "dev.decant.buffer..").or(JDK_OF_CORE).or(ANNOTATIONS);

  private static final Set<String> TELLS_TIMES = Set.of("dev.decant.time.SystemClock",
      "dev.decant.kafka.producer.Producer", "dev.decant.kafka.consumer.OffsetReset",
      "dev.decant.kafka.telemetry.ErrorFunnel", "dev.decant.kafka.clientmetrics.MetricsCollector$Snapshot",
      "dev.decant.tls.Certificates");

  private static final ArchRule CORE_IS_THE_GROUND = classes().that(CORE.and(not(RUNTIME)))
      .should().onlyDependOnClassesThat(CORE.or(JDK_OF_CORE).or(ANNOTATIONS));

  /** What cannot be read would be left out in silence. The test kit and the lab join with their first class. */
  @Test
  void everyClassFileOfEveryShippedModuleIsLookedAt() throws Exception {
    assertThat(classesIn(CORE)).isEqualTo(classFilesBeside(Completion.class)).isPositive();
    assertThat(classesIn(CARRIERS)).isEqualTo(classFilesBeside(CarrierPriority.class)).isPositive();
    assertThat(classesIn(FAKE_BROKER)).isEqualTo(classFilesBeside(FakeCluster.class)).isPositive();
    assertThat(classesIn(FIX)).isEqualTo(classFilesBeside(FixEngine.class)).isPositive();
    assertThat(classesIn(KAFKA_PROTOCOL)).isEqualTo(classFilesBeside(ErrorCode.class)).isPositive();
    assertThat(classesIn(KAFKA)).isEqualTo(classFilesBeside(KafkaClient.class)).isPositive();
    assertThat(classesIn(PARALLEL_WORK)).isEqualTo(classFilesBeside(Work.class)).isPositive();
    assertThat(classesIn(WORK_ON_APACHES_CLIENTS)).isEqualTo(classFilesBeside(ApacheWork.class)).isPositive();
    assertThat(classesIn(LZ4_CODEC)).isEqualTo(classFilesBeside(Lz4Codec.class)).isPositive();
    assertThat(classesIn(SNAPPY_CODEC)).isEqualTo(classFilesBeside(SnappyCodec.class)).isPositive();
    assertThat(classesIn(ZSTD_CODEC)).isEqualTo(classFilesBeside(ZstdCodec.class)).isPositive();
    assertThat(classesIn(APACHES_INTERFACES)).isEqualTo(classFilesBeside(DecantProducer.class)).isPositive();
    assertThat(classesIn(STREAMS_CLIENTS)).isEqualTo(classFilesBeside(DecantClientSupplier.class)).isPositive();
    assertThat(classesIn(SPRING_FACTORIES)).isEqualTo(classFilesBeside(DecantProducerFactory.class)).isPositive();
    assertThat(classesIn(BOOT_STARTER)).isEqualTo(classFilesBeside(DecantKafkaAutoConfiguration.class)).isPositive();
    assertThat(classesIn(FLINK_SINK)).isEqualTo(classFilesBeside(DecantKafkaSink.class)).isPositive();
    assertThat(classesIn(MICRONAUT_FACTORIES)).isEqualTo(classFilesBeside(DecantConsumerFactory.class)).isPositive();
    assertThat(classesIn(QUICKFIX_ADAPTER)).isEqualTo(classFilesBeside(SocketAcceptor.class)).isPositive();
    assertThat(classesIn(MICROMETER_ADAPTER)).isEqualTo(classFilesBeside(KafkaClientMetrics.class)).isPositive();
    assertThat(classesIn(OPENTELEMETRY_ADAPTER)).isEqualTo(classFilesBeside(RecordPropagation.class)).isPositive();
    assertThat(classesIn(AGENT)).isEqualTo(classFilesBeside(DecantAgent.class)).isPositive();
    assertThat(SHIPPED.get(Completion.class).getMethod("complete", long.class, long.class).getMethodCallsFromSelf())
        .hasSize(2);
  }

  @Test
  void aBreachIsSeen() {
    JavaClasses thisTest = new ClassFileImporter().importClasses(ArchitectureTest.class);

    assertThat(CORE_IS_THE_GROUND.evaluate(thisTest).getFailureReport().toString())
        .contains("com.tngtech.archunit").contains("org.junit.jupiter.api.Test").contains(KafkaClient.class.getName())
        .doesNotContain("java.nio.file.Path");
  }

  @Test
  void coreDependsOnTheJdkAlone() {
    CORE_IS_THE_GROUND.check(SHIPPED);
  }

  @Test
  void carriersDependOnTheJdkAlone() {
    classes().that(CARRIERS)
        .should().onlyDependOnClassesThat(CARRIERS.or(JDK_OF_CORE).or(ANNOTATIONS))
        .check(SHIPPED);
  }

  /** It is on the class path of programs that know nothing of it. */
  @Test
  void theAgentDependsOnTheJdkAlone() {
    classes().that(AGENT)
        .should().onlyDependOnClassesThat(AGENT.or(resideInAPackage("java..")).or(ANNOTATIONS))
        .check(SHIPPED);
    noClasses().that(not(AGENT.or(LAB))).should().dependOnClassesThat(AGENT).check(SHIPPED);
    // on a Java that has no System.Logger, or whose server has not set its logging up yet
    DescribedPredicate<JavaClass> start = simpleNameStartingWith("AgentStart");
    noClasses().that(AGENT.and(not(start))).should(ACCESS_STANDARD_STREAMS).check(SHIPPED);
  }

  /** A module that links to native code needs native access, which each of its users must then grant. */
  @Test
  void nativeFunctionsAreCalledByTheCarriersModuleAlone() {
    noClasses().that(not(CARRIERS))
        .should().dependOnClassesThat().haveFullyQualifiedName("java.lang.foreign.Linker")
        .orShould().dependOnClassesThat().haveFullyQualifiedName("java.lang.foreign.SymbolLookup")
        .check(SHIPPED);
  }

  @Test
  void theCheckOfTheRuntimeDependsOnTheJdkAndItsBeansAlone() {
    classes().that(RUNTIME)
        .should().onlyDependOnClassesThat(RUNTIME.or(JDK_OF_CORE).or(HOTSPOT_BEANS).or(ANNOTATIONS))
        .check(SHIPPED);
  }

  @Test
  void fixEngineDependsOnCoreAlone() {
    classes().that(FIX.and(not(FIX_BEANS)))
        .should().onlyDependOnClassesThat(FIX.or(CORE).or(JDK_OF_CORE).or(JDK_XML).or(ANNOTATIONS))
        .check(SHIPPED);
    classes().that(FIX_BEANS)
        .should()
        .onlyDependOnClassesThat(FIX.or(JDK_OF_CORE).or(ANNOTATIONS).or(resideInAPackage("javax.management..")))
        .check(SHIPPED);
  }

  /**
   * Settings and messages are the ground of the engine, the session layer knows no socket, and nothing knows the
   * engine.
   */
  @Test
  void packagesOfTheFixEngineLieOneAboveTheOther() {
    layer("message", "message");
    layer("dictionary", "dictionary", "message");
    layer("schedule", "schedule");
    layer("settings", "settings", "schedule", "dictionary", "message");
    layer("status", "status", "settings");
    layer("record", "record");
    layer("segment", "segment", "record", "settings");
    layer("store", "store", "segment", "record", "status", "settings");
    layer("log", "log", "settings");
    layer("event", "event", "settings", "message");
    layer("session", "session", "event", "log", "store", "status", "settings", "dictionary", "message");
  }

  private static void layer(String name, String... below) {
    String[] packages = Stream.concat(Stream.of(below).map(other -> "dev.decant.fix." + other),
        Stream.of("dev.decant.buffer", "dev.decant.event", "dev.decant.ring", "dev.decant.time", "java..",
            "javax.xml..", "org.xml.sax..", "org.w3c.dom..", "org.jspecify.annotations"))
        .toArray(String[]::new);
    classes().that().resideInAPackage("dev.decant.fix." + name)
        .and().doNotHaveSimpleName("MessageFraming") // what the session layer is to connections
        .should().onlyDependOnClassesThat().resideInAnyPackage(packages)
        .check(SHIPPED);
  }

  @Test
  void kafkaProtocolDependsOnCoreAlone() {
    classes().that(KAFKA_PROTOCOL)
        .should().onlyDependOnClassesThat(KAFKA_PROTOCOL.or(CORE).or(JDK_OF_CORE).or(ANNOTATIONS))
        .check(SHIPPED);
  }

  @Test
  void parallelWorkDependsOnTheClientAlone() {
    classes().that(PARALLEL_WORK)
        .should().onlyDependOnClassesThat(PARALLEL_WORK.or(CLIENT_SIDE).or(ANNOTATIONS))
        .check(SHIPPED);
    noClasses().that(not(PARALLEL_WORK.or(WORK_ON_APACHES_CLIENTS).or(LAB).or(MICROMETER_ADAPTER)
        .or(OPENTELEMETRY_ADAPTER))).should().dependOnClassesThat(PARALLEL_WORK).check(SHIPPED);
  }

  @Test
  void workOnApachesClientsDependsOnParallelWorkAndApachesInterfacesAlone() {
    classes().that(WORK_ON_APACHES_CLIENTS)
        .should().onlyDependOnClassesThat(WORK_ON_APACHES_CLIENTS.or(PARALLEL_WORK).or(CLIENT_SIDE)
            .or(APACHES_INTERFACES).or(APACHES_CLIENT).or(JDK).or(ANNOTATIONS))
        .check(SHIPPED);
    noClasses().that(not(WORK_ON_APACHES_CLIENTS)).should().dependOnClassesThat(WORK_ON_APACHES_CLIENTS).check(SHIPPED);
  }

  /** A client in its code would believe what the client believes. */
  @Test
  void theFakeBrokerDependsOnProtocolAndCoreAlone() {
    classes().that(FAKE_BROKER.and(not(FAKE_BROKER_IN_JUNIT)))
        .should().onlyDependOnClassesThat(FAKE_BROKER.and(not(FAKE_BROKER_IN_JUNIT)).or(KAFKA_PROTOCOL).or(CORE)
            .or(JDK_OF_CORE).or(ANNOTATIONS)
            .or(resideInAPackage("dev.decant.kafka.compression"))) // where it is on the class path
        .check(SHIPPED);
    classes().that(FAKE_BROKER_IN_JUNIT)
        .should().onlyDependOnClassesThat(resideInAnyPackage("dev.decant.fake", "org.junit..", "org.opentest4j..",
            "java..").or(FAKE_BROKER_IN_JUNIT).or(SPRING).or(ANNOTATIONS))
        .check(SHIPPED);
    noClasses().that(not(FAKE_BROKER.or(LAB))).should().dependOnClassesThat(FAKE_BROKER).check(SHIPPED);
  }

  @Test
  void packagesOfTheFakeBrokerLieOneAboveTheOther() {
    fakeLayer("log", "log");
    fakeLayer("cluster", "cluster", "log");
    fakeLayer("journal", "journal");
    fakeLayer("fault", "fault", "journal");
    fakeLayer("api", "api", "cluster", "log");
    fakeLayer("group", "group", "api", "cluster");
    fakeLayer("transaction", "transaction", "group", "api", "cluster", "log");
    fakeLayer("share", "share", "group", "api", "cluster", "log");
    fakeLayer("security", "security", "api", "cluster");
    fakeLayer("net", "net", "api", "cluster", "fault", "journal", "log", "security");
  }

  private static void fakeLayer(String name, String... below) {
    String[] packages = Stream.concat(Stream.of(below).map(other -> "dev.decant.fake." + other),
        Stream.of("dev.decant.kafka.protocol..", "dev.decant.kafka.record", "dev.decant.kafka.compression",
            "dev.decant.buffer", "dev.decant.loop", "dev.decant.net", "dev.decant.net.tls", "dev.decant.tls",
            "dev.decant.time", "java..", "javax.crypto..", "javax.net.ssl", "org.jspecify.annotations"))
        .toArray(String[]::new);
    classes().that().resideInAPackage("dev.decant.fake." + name)
        .should().onlyDependOnClassesThat().resideInAnyPackage(packages)
        .check(SHIPPED);
  }

  @Test
  void kafkaClientDependsOnProtocolAndCoreAlone() {
    classes().that(KAFKA)
        .should().onlyDependOnClassesThat(KAFKA.or(KAFKA_PROTOCOL).or(CORE).or(JDK).or(ANNOTATIONS))
        .check(SHIPPED);
  }

  @Test
  void eachCodecDependsOnItsInterfaceAndItsLibraryAlone() {
    classes().that(LZ4_CODEC)
        .should().onlyDependOnClassesThat(LZ4_CODEC.or(CODEC_SIDE).or(LZ4)).check(SHIPPED);
    classes().that(SNAPPY_CODEC)
        .should().onlyDependOnClassesThat(SNAPPY_CODEC.or(CODEC_SIDE).or(SNAPPY)).check(SHIPPED);
    classes().that(ZSTD_CODEC)
        .should().onlyDependOnClassesThat(ZSTD_CODEC.or(CODEC_SIDE).or(ZSTD)).check(SHIPPED);
    // The lab names the libraries to find their jars, for the class paths of the JVMs that it measures.
    noClasses().that(not(CODECS.or(LAB))).should().dependOnClassesThat(LZ4.or(SNAPPY).or(ZSTD)).check(SHIPPED);
  }

  /**
   * The flight recorder may be left out of a runtime, and the client must not notice: the first two look first. The
   * lab's one class is loaded only by a JVM that was started to look for allocations.
   */
  @Test
  void theFlightRecorderIsUsedByItsPackagesTheCheckOfTheRuntimeAndTheLabsLookForAllocationsAlone() {
    noClasses()
        .that(not(resideInAnyPackage("dev.decant.kafka.jfr..", "dev.decant.kafka.work.jfr..", "dev.decant.fix.jfr.."))
            .and(not(RUNTIME))
            .and(not(simpleNameStartingWith("AllocationSites").and(resideInAPackage("dev.decant.lab.driver")))))
        .should().dependOnClassesThat(resideInAnyPackage("jdk.jfr..", "dev.decant.kafka.jfr..",
            "dev.decant.kafka.work.jfr..", "dev.decant.fix.jfr.."))
        .check(SHIPPED);
  }

  @Test
  void micrometerAdapterDependsOnTheClientTheFixEngineAndItsLibraryAlone() {
    classes().that(MICROMETER_ADAPTER)
        .should().onlyDependOnClassesThat(MICROMETER_ADAPTER.or(CLIENT_SIDE).or(PARALLEL_WORK).or(FIX).or(MICROMETER)
            .or(ANNOTATIONS))
        .check(SHIPPED);
  }

  @Test
  void openTelemetryAdapterDependsOnTheClientTheFixEngineAndItsLibraryAlone() {
    classes().that(OPENTELEMETRY_ADAPTER)
        .should()
        .onlyDependOnClassesThat(OPENTELEMETRY_ADAPTER.or(CLIENT_SIDE).or(PARALLEL_WORK).or(FIX).or(OPENTELEMETRY)
            .or(ANNOTATIONS))
        .check(SHIPPED);
  }

  @Test
  void librariesOfMetricsAppearInTheirAdaptersAlone() {
    noClasses().that(not(MICROMETER_ADAPTER.or(BOOT_STARTER))).should().dependOnClassesThat()
        .resideInAPackage("io.micrometer..")
        .check(SHIPPED);
    noClasses().that(not(OPENTELEMETRY_ADAPTER)).should().dependOnClassesThat().resideInAPackage("io.opentelemetry..")
        .check(SHIPPED);
  }

  /** Settings files and stores are read by those who have no QuickFIX/J any more. */
  @Test
  void quickFixAdapterDependsOnTheEngineAndItsLibraryAlone() {
    classes().that(QUICKFIX_ADAPTER)
        .should().onlyDependOnClassesThat(QUICKFIX_ADAPTER.or(FIX).or(CORE).or(JDK).or(QUICKFIX).or(ANNOTATIONS)
            .or(resideInAPackage("javax.management..")))
        .check(SHIPPED);
    noClasses().that(resideInAnyPackage("dev.decant.fix.quickfix.settings..", "dev.decant.fix.quickfix.store.."))
        .should().dependOnClassesThat(QUICKFIX)
        .check(SHIPPED);
  }

  @Test
  void apachesInterfacesDependOnBothClientsAlone() {
    classes().that(APACHES_INTERFACES)
        .should()
        .onlyDependOnClassesThat(APACHES_INTERFACES.or(CLIENT_SIDE).or(JDK).or(APACHES_CLIENT).or(ANNOTATIONS))
        .check(SHIPPED);
  }

  @Test
  void clientsOfFrameworksDependOnApachesInterfacesAndTheirFrameworkAlone() {
    classes().that(STREAMS_CLIENTS)
        .should()
        .onlyDependOnClassesThat(
            STREAMS_CLIENTS.or(APACHES_INTERFACES).or(APACHES_CLIENT).or(STREAMS).or(JDK_OF_CORE).or(ANNOTATIONS))
        .check(SHIPPED);
    classes().that(SPRING_FACTORIES)
        .should()
        .onlyDependOnClassesThat(
            SPRING_FACTORIES.or(APACHES_INTERFACES).or(APACHES_CLIENT).or(SPRING).or(JDK_OF_CORE).or(ANNOTATIONS))
        .check(SHIPPED);
    noClasses().that(not(STREAMS_CLIENTS.or(BOOT_STARTER))).should().dependOnClassesThat(STREAMS).check(SHIPPED);
    // The lab measures Spring's container beside Decant.
    noClasses().that(not(SPRING_FACTORIES.or(BOOT_STARTER).or(FAKE_BROKER_IN_JUNIT).or(LAB)))
        .should().dependOnClassesThat(SPRING)
        .check(SHIPPED);
  }

  /** The starter puts the other modules into an application of Boot. */
  @Test
  void theStarterDependsOnItsFrameworkAndTheModulesItStartsAlone() {
    classes().that(BOOT_STARTER)
        .should()
        .onlyDependOnClassesThat(BOOT_STARTER.or(SPRING_FACTORIES).or(STREAMS_CLIENTS).or(MICROMETER_ADAPTER)
            .or(APACHES_INTERFACES).or(CLIENT_SIDE).or(APACHES_CLIENT).or(STREAMS).or(MICROMETER).or(SPRING)
            .or(ANNOTATIONS))
        .check(SHIPPED);
    noClasses().that(not(BOOT_STARTER)).should().dependOnClassesThat(BOOT_STARTER).check(SHIPPED);
  }

  @Test
  void theSinkForFlinkDependsOnApachesInterfacesAndFlinkAlone() {
    classes().that(FLINK_SINK)
        .should()
        .onlyDependOnClassesThat(FLINK_SINK.or(APACHES_INTERFACES).or(APACHES_CLIENT).or(FLINK).or(JDK_OF_CORE)
            .or(ANNOTATIONS).or(resideInAPackage("dev.decant.kafka")))
        .check(SHIPPED);
    noClasses().that(not(FLINK_SINK)).should().dependOnClassesThat().resideInAPackage("org.apache.flink..")
        .check(SHIPPED);
  }

  @Test
  void theFactoriesForMicronautDependOnApachesInterfacesAndMicronautAlone() {
    classes().that(MICRONAUT_FACTORIES)
        .should()
        .onlyDependOnClassesThat(MICRONAUT_FACTORIES.or(APACHES_INTERFACES).or(APACHES_CLIENT).or(MICRONAUT)
            .or(JDK_OF_CORE).or(ANNOTATIONS))
        .check(SHIPPED);
    noClasses().that(not(MICRONAUT_FACTORIES)).should().dependOnClassesThat(MICRONAUT).check(SHIPPED);
  }

  @Test
  void nothingOfApacheKafkaIsUsedByWhatUsersRunWithoutIt() {
    noClasses().that(not(TESTKIT.or(LAB).or(APACHES_INTERFACES).or(STREAMS_CLIENTS).or(SPRING_FACTORIES)
        .or(BOOT_STARTER).or(FLINK_SINK).or(MICRONAUT_FACTORIES).or(WORK_ON_APACHES_CLIENTS)))
        .should().dependOnClassesThat().resideInAPackage("org.apache.kafka..")
        .check(SHIPPED);
  }

  /** A test need not use JUnit to start a broker, and Apache's classes are on the class path of brokers only. */
  @Test
  void librariesOfTheTestKitAppearInOneOfItsPackagesEach() {
    noClasses().that(TESTKIT.and(not(resideInAPackage("dev.decant.testkit.junit"))))
        .should().dependOnClassesThat().resideInAPackage("org.junit..")
        .check(SHIPPED);
    noClasses().that(TESTKIT.and(not(resideInAPackage("dev.decant.testkit.broker"))))
        .should().dependOnClassesThat().resideInAnyPackage("org.apache.kafka..", "kafka..", "scala..", "org.slf4j..")
        .check(SHIPPED);
  }

  @Test
  void nobodyDependsOnTheLab() {
    noClasses().that(not(LAB))
        .should().dependOnClassesThat(LAB)
        .check(SHIPPED);
  }

  @Test
  void nobodyButTheLabDependsOnTheTestKit() {
    noClasses().that(not(TESTKIT.or(LAB)))
        .should().dependOnClassesThat(TESTKIT)
        .check(SHIPPED);
  }

  @Test
  void onlySupportedJdkApiIsUsed() {
    noClasses()
        .should().dependOnClassesThat().resideInAnyPackage("sun..", "jdk.internal..")
        .check(SHIPPED);
  }

  @Test
  void standardStreamsBelongToTheApplication() {
    noClasses()
        .that(CORE.or(CARRIERS).or(FIX).or(KAFKA_PROTOCOL).or(FAKE_BROKER).or(KAFKA).or(CODECS).or(PARALLEL_WORK)
            .or(WORK_ON_APACHES_CLIENTS)
            .or(APACHES_INTERFACES).or(STREAMS_CLIENTS).or(SPRING_FACTORIES).or(BOOT_STARTER).or(MICROMETER_ADAPTER)
            .or(OPENTELEMETRY_ADAPTER)
            .or(QUICKFIX_ADAPTER).or(FLINK_SINK).or(MICRONAUT_FACTORIES))
        .should(ACCESS_STANDARD_STREAMS)
        .check(SHIPPED);
  }

  /**
   * The last line of the agent goes there, too. The JDK's logging drops it if that has ended first, so the agent asks
   * whether it has.
   */
  @Test
  void loggingGoesThroughSystemLogger() {
    noClasses().that().doNotHaveFullyQualifiedName("dev.decant.agent.LastLine")
        .should().dependOnClassesThat().resideInAPackage("java.util.logging..")
        .check(SHIPPED);
  }

  /**
   * A deadline by the wall clock moves when somebody sets that clock. So it tells the times of records and error
   * reports, and whether certificates are valid; all else goes by {@code Clock.nanoTime}.
   */
  @Test
  void clientAndCoreReadTheWallClockForTimestampsOnly() {
    classes().that(KAFKA.or(KAFKA_PROTOCOL).or(CORE))
        .should(new ArchCondition<JavaClass>("read the wall clock for the times of records and reports only") {
          @Override
          public void check(JavaClass item, ConditionEvents events) {
            item.getMethodCallsFromSelf().stream()
                .filter(call -> isWallClock(call.getTarget()) && !TELLS_TIMES.contains(item.getFullName()))
                .forEach(call -> events.add(SimpleConditionEvent.violated(item, call.getDescription())));
          }
        })
        .check(SHIPPED);
  }

  private static boolean isWallClock(AccessTarget.MethodCallTarget target) {
    return List.of("currentTimeMillis", "epochMillis").contains(target.getName())
        || (target.getName().equals("now") && target.getOwner().getPackageName().equals("java.time"));
  }

  @Test
  void packagesAreNamedAfterTheirSubject() {
    noClasses()
        .should().resideInAnyPackage("..impl..", "..util..", "..common..", "..manager..")
        .check(SHIPPED);
  }

  /** The package of the copied ASM is excluded: its classes cannot carry our annotations. */
  @Test
  void everyPackageIsNullMarked() {
    List<JavaPackage> unmarked = SHIPPED.stream()
        .filter(not(resideInAPackage("dev.decant.agent.asm")))
        .map(JavaClass::getPackage)
        .distinct()
        .filter(p -> !p.isAnnotatedWith(NullMarked.class))
        .toList();

    assertThat(unmarked).isEmpty();
  }

  private static long classesIn(DescribedPredicate<JavaClass> module) {
    return SHIPPED.stream().filter(module).count();
  }

  /** Counts the class files of the directory or jar that a class was loaded from; module-info is no class to us. */
  private static long classFilesBeside(Class<?> anchor) throws IOException, URISyntaxException {
    Path location = Path.of(anchor.getProtectionDomain().getCodeSource().getLocation().toURI());
    if (Files.isDirectory(location)) {
      try (Stream<Path> files = Files.walk(location)) {
        return countClasses(files.map(Path::toString));
      }
    }
    try (JarFile jar = new JarFile(location.toFile())) {
      return countClasses(jar.stream().map(entry -> entry.getName()));
    }
  }

  private static long countClasses(Stream<String> names) {
    return names.filter(name -> name.endsWith(".class") && !name.endsWith("module-info.class")).count();
  }
}
