package dev.decant.lab.stress;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.luben.zstd.Zstd;
import dev.decant.agent.DecantAgent;
import dev.decant.buffer.BufferPool;
import dev.decant.kafka.apache.ApacheSerialization;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.codec.lz4.Lz4Codec;
import dev.decant.kafka.codec.zstd.ZstdCodec;
import dev.decant.kafka.record.RecordBatchHeader;
import dev.decant.kafka.work.Work;
import dev.decant.lab.driver.DriverMain;
import dev.decant.lab.driver.WorkSpec;
import dev.decant.lab.jvm.JavaRuntime;
import dev.decant.testkit.ChildJvm;
import dev.decant.testkit.RepositoryJars;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import net.jpountz.lz4.LZ4Factory;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Flags and class paths of the measured clients' JVMs: each has one client, and of others only the interfaces. */
public final class ClientJvm {
  private static final String ARTIFACT = "org.apache.kafka:kafka-clients:";
  private static final String PEER_VERSION = "4.3.1";
  private static final String PARALLEL_CONSUMER_VERSION = "0.5.3.3";
  private static final String SPRING_KAFKA_VERSION = "4.1.2";
  private static final List<String> OWN_MODULES = List.of("decant-kafka", "decant-kafka-protocol", "decant-core",
      "decant-kafka-codec-lz4", "decant-kafka-codec-zstd");

  private ClientJvm() {}

  /**
   * Returns the flags of a JVM: a fixed heap, G1 unless the user names another collector, and compiler threads that
   * stay, so that their processor time can be separated.
   *
   * @param own flags of the user, which come last and win
   * @return all flags
   */
  public static List<String> flags(List<String> own) {
    List<String> flags = new ArrayList<>(List.of("-Xms512m", "-Xmx512m", "-XX:-UseDynamicNumberOfCompilerThreads"));
    if (own.stream().noneMatch(flag -> flag.matches("-XX:\\+Use\\w+GC"))) {
      flags.add("-XX:+UseG1GC");
    }
    flags.addAll(own);
    return flags;
  }

  static List<String> arguments(String client, List<String> own) {
    List<String> arguments = new ArrayList<>(flags(own));
    if (client.equals(WorkSpec.AGENT)) {
      arguments.add("-javaagent:" + AgentJar.path());
    }
    arguments.add("-cp");
    arguments.add(String.join(File.pathSeparator, classPath(client)));
    return arguments;
  }

  /** Starts a client's JVM: the given one, or one of the lab's own kind. */
  static ChildJvm start(String name, @Nullable JavaRuntime java, List<String> arguments, Path log,
      Consumer<String> lines) {
    return java == null
        ? ChildJvm.start(name, arguments, log, lines)
        : ChildJvm.start(name, List.of(), java.launcher(), arguments, log, lines);
  }

  /**
   * Rejects a JVM that is too old for a client's classes, or for those of the driver.
   *
   * @param client as in {@link WorkSpec#client()}
   * @param java the JVM
   * @throws IllegalArgumentException if the JVM is too old; the message is one line that says why
   * @throws dev.decant.testkit.ClusterException if a jar is missing; the message says how to fetch it
   */
  public static void requireToRunOn(String client, JavaRuntime java) {
    List<String> path = new ArrayList<>(classPath(client));
    if (client.equals(WorkSpec.AGENT)) {
      path.add(RepositoryJars.locationOf(DecantAgent.class));
    }
    java.requireToTake(path);
  }

  private static List<String> classPath(String client) {
    Set<String> path = new LinkedHashSet<>();
    for (Class<?> type : new Class<?>[] {DriverMain.class, ObjectMapper.class, JsonFactory.class, JsonProperty.class,
        Histogram.class}) {
      path.add(RepositoryJars.locationOf(type));
    }
    if (client.equals(WorkSpec.DECANT) || client.equals(WorkSpec.BARE_SOCKET)) { // the bare socket uses Decant's codecs
      path.addAll(thisBuild());
    } else if (client.equals(WorkSpec.DECANT_APACHE) || client.equals(WorkSpec.AGENT)) {
      path.addAll(thisBuild());
      path.add(RepositoryJars.locationOf(ApacheSerialization.class)); // loads without Apache's classes
      path.addAll(peer(PEER_VERSION)); // Apache's interfaces, and the classes in their methods' signatures
    } else if (client.equals(WorkSpec.PARALLEL_CONSUMER) || client.equals(WorkSpec.SPRING_KAFKA)) {
      path.addAll(runtime(client));
    } else if (client.startsWith(WorkSpec.DECANT_PREFIX)) {
      path.addAll(otherBuild(client.substring(WorkSpec.DECANT_PREFIX.length())));
    } else if (client.startsWith(WorkSpec.PEER_PREFIX)) {
      path.addAll(peer(client.substring(WorkSpec.PEER_PREFIX.length())));
    }
    return List.copyOf(path);
  }

  private static List<String> thisBuild() {
    return Stream
        .of(KafkaClient.class, Work.class, RecordBatchHeader.class, BufferPool.class, Lz4Codec.class, LZ4Factory.class,
            ZstdCodec.class, Zstd.class)
        .map(RepositoryJars::locationOf).toList();
  }

  /** Returns the class path of a runtime of handlers on the peer. */
  private static List<String> runtime(String client) {
    return RepositoryJars.locate(ClientJvm.class, client + ".classpath",
        client.equals(WorkSpec.PARALLEL_CONSUMER)
            ? "io.confluent.parallelconsumer:parallel-consumer-core:" + PARALLEL_CONSUMER_VERSION
            : "org.springframework.kafka:spring-kafka:" + SPRING_KAFKA_VERSION);
  }

  /**
   * Returns the class path of a release of the peer, with the libraries of the lab's own release for compression and
   * logging.
   */
  private static List<String> peer(String version) {
    List<String> jars = new ArrayList<>(
        RepositoryJars.locate(ClientJvm.class, "kafka-clients.classpath", ARTIFACT + PEER_VERSION));
    jars.replaceAll(jar -> Path.of(jar).endsWith("kafka-clients-" + PEER_VERSION + ".jar")
        ? RepositoryJars.otherVersion(jar, PEER_VERSION, version, ARTIFACT + version)
        : jar);
    return jars;
  }

  /**
   * Returns the class path of another installed build of Decant, with the lab's own driver and libraries for
   * compression.
   */
  private static List<String> otherBuild(String version) {
    List<String> jars = new ArrayList<>();
    for (String module : OWN_MODULES) {
      jars.add(RepositoryJars.installed("dev.decant", module, version));
    }
    jars.add(RepositoryJars.locationOf(LZ4Factory.class));
    jars.add(RepositoryJars.locationOf(Zstd.class));
    return jars;
  }

  /**
   * Rejects a release of a client that is not in the local Maven repository.
   *
   * @param client {@code decant} or {@code kafka-clients}
   * @param version empty for the lab's own
   * @throws dev.decant.testkit.ClusterException if the release is missing; the message says how to fetch it
   */
  public static void require(String client, String version) {
    if (!version.isEmpty()) {
      var unused = client.equals(WorkSpec.DECANT) ? otherBuild(version) : peer(version);
    }
  }
}
