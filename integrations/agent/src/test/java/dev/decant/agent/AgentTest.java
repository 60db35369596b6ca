package dev.decant.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs an application in JVMs with {@code -javaagent}. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class AgentTest {
  private static final String MAIN = "app.Main";
  private static final String ON_DECANT = """
      producer dev.decant.agent.KafkaProducerOnDecant
      consumer dev.decant.agent.KafkaConsumerOnDecant
      """;
  private static final String ON_APACHE = """
      producer org.apache.kafka.clients.producer.KafkaProducer
      consumer org.apache.kafka.clients.consumer.KafkaConsumer
      """;
  private static final String LOGGED = "app.Main constructs DecantProducer in place of KafkaProducer; "
      + "-Ddecant.agent=off goes back to Apache's clients";

  @TempDir
  private Path directory = Path.of("");
  private AgentJvm jvm;

  @BeforeEach
  void jars() throws IOException {
    jvm = new AgentJvm(directory);
  }

  private static String clients(String output) {
    return output.lines().filter(line -> line.matches("(producer|consumer) .*")).map(line -> line + "\n")
        .reduce("", String::concat);
  }

  @Test
  void anApplicationRunsOnDecantAndTheLogSaysSoOnce() throws Exception {
    String output = jvm.run("", "-cp", jvm.classPath(jvm.application, jvm.decant), MAIN);

    assertThat(clients(output)).isEqualTo(ON_DECANT);
    assertThat(output).containsOnlyOnce(LOGGED).containsOnlyOnce("constructs DecantConsumer");
    assertThat(output).containsOnlyOnce("decant-agent 0.1.0 is on, classes from the class path of the application");
    assertThat(output.lines()).as("two lines of the application, three messages of two lines").hasSize(8);
    assertThat(output).doesNotContain("nothing was switched");
  }

  @Test
  void aProcessWithoutClientsSaysAtItsEndThatNothingWasSwitched() throws Exception {
    String output = jvm.run("lib=" + jvm.lib, "-cp", jvm.classPath(jvm.application), "app.Nothing");

    assertThat(output).startsWith("nothing to do\n")
        .containsSubsequence("decant-agent 0.1.0 is on, classes from " + jvm.lib,
            "nothing was switched: no class constructs a KafkaProducer or KafkaConsumer");
    assertThat(output.lines()).hasSize(5);
  }

  /** The agent's jar has a copy of ASM's classes. */
  @Test
  void theAgentHasTheLicenseOfAsm() throws IOException {
    try (InputStream in = DecantAgent.class.getResourceAsStream("/META-INF/LICENSE-asm.txt")) {
      assertThat(in).isNotNull().asString(StandardCharsets.UTF_8).contains("INRIA, France Telecom",
          "Redistributions in binary form must reproduce");
    }
  }

  @Test
  void switchedOffTheProcessIsAsWithoutTheAgent() throws Exception {
    String output = jvm.run("nonsense", "-Ddecant.agent=off", "-cp", jvm.classPath(jvm.application, jvm.decant), MAIN);

    assertThat(output).isEqualTo(ON_APACHE);
  }

  @Test
  void anExcludedClassKeepsApachesClients() throws Exception {
    assertThat(jvm.run("exclude=app.*", "-cp", jvm.classPath(jvm.application, jvm.decant), MAIN))
        .as("the JDK's logging has begun before, and ends at the same time").contains("decant-agent 0.1.0 is on",
            "nothing was switched: app.Main constructs clients, and is not among the classes of include and exclude");
    assertThat(jvm.run("exclude=app.*,log=off", "-cp", jvm.classPath(jvm.application, jvm.decant), MAIN))
        .isEqualTo(ON_APACHE);
    assertThat(jvm.run("log=off", "-Ddecant.agent.include=com.example.*", "-cp",
        jvm.classPath(jvm.application, jvm.decant), MAIN)).isEqualTo(ON_APACHE);
  }

  @Test
  void theReportListsWhatWasSwitchedAndWhatWasNot() throws Exception {
    Path report = directory.resolve("report.txt");

    String output = jvm.run("report=" + report + ",log=all", "-cp", jvm.classPath(jvm.application, jvm.decant), MAIN,
        "extended");

    assertThat(output).contains("extended app.Extended")
        .contains("app.Extended extends KafkaProducer and runs on DecantProducer");
    assertThat(Files.readAllLines(report)).containsExactly(
        "switched: app.Extended extends KafkaProducer and runs on DecantProducer",
        "switched: app.Main constructs DecantConsumer in place of KafkaConsumer",
        "switched: app.Main constructs DecantProducer in place of KafkaProducer");
  }

  @Test
  void aWrongOptionIsOneLineAndTheApplicationRuns() throws Exception {
    String output = jvm.run("inclde=a.*", "-cp", jvm.classPath(jvm.application, jvm.decant), MAIN);

    assertThat(clients(output)).isEqualTo(ON_APACHE);
    assertThat(output).contains("decant.agent: option inclde is unknown; the options are exclude, include, lib, log,"
        + " prefix and report. Apache's clients stay in use.").doesNotContain("Exception");
  }

  @Test
  void aWrongStateIsNamed() throws Exception {
    assertThat(jvm.run("", "-Ddecant.agent=of", "-cp", jvm.classPath(jvm.application, jvm.decant), MAIN))
        .contains("decant.agent: \"of\" is unknown; write -Ddecant.agent=off");
  }

  @Test
  void withoutDecantsJarsTheApplicationRunsOnApachesClients() throws Exception {
    String output = jvm.run("", "-cp", jvm.classPath(jvm.application), MAIN);

    assertThat(clients(output)).isEqualTo(ON_APACHE);
    assertThat(output).contains("app.Main keeps Apache's clients: the class loader ")
        .contains("finds no dev.decant.kafka.apache.DecantProducer; add decant-kafka-apache to the class path");
  }

  @Test
  void jarsThatAnOptionNamesAreUsed() throws Exception {
    assertThat(clients(jvm.run("lib=" + jvm.lib, "-cp", jvm.classPath(jvm.application), MAIN))).isEqualTo(ON_DECANT);
    assertThat(clients(jvm.run("lib=" + jvm.decant, "-cp", jvm.classPath(jvm.application), MAIN)))
        .isEqualTo(ON_DECANT);
  }

  @Test
  void jarsBesideTheAgentAreUsed() throws Exception {
    Files.move(jvm.lib, directory.resolve("lib"));

    assertThat(clients(jvm.run("", "-cp", jvm.classPath(jvm.application), MAIN))).isEqualTo(ON_DECANT);
  }

  /** A folder of that name may be the application's own. */
  @Test
  void aFolderWithoutDecantsJarsIsNotUsed() throws Exception {
    Files.createDirectory(directory.resolve("lib"));

    assertThat(jvm.run("", "-cp", jvm.classPath(jvm.application), MAIN)).contains("add decant-kafka-apache");
  }

  /**
   * The command line and JAVA_TOOL_OPTIONS may both name the agent. Apache's classes were changed twice, and did not
   * load.
   */
  @Test
  void anAgentThatIsNamedTwiceStartsOnce() throws Exception {
    String agent = "-javaagent:" + jvm.agent;

    String output = jvm.runWithAgents(List.of(agent, agent, "-cp", jvm.classPath(jvm.application, jvm.decant), MAIN,
        "extended"));

    assertThat(clients(output)).isEqualTo(ON_DECANT);
    assertThat(output).contains("extended app.Extended").containsOnlyOnce("is on, classes from");
  }

  /** Agents are on the boot class path if class loaders delegate only the JDK's packages. The JVM did not start. */
  @Test
  void anAgentOnTheBootClassPathSwitchesToo() throws Exception {
    String boot = "-Xbootclasspath/a:" + jvm.agent;

    assertThat(clients(jvm.run("", boot, "-cp", jvm.classPath(jvm.application, jvm.decant), MAIN)))
        .isEqualTo(ON_DECANT);
    assertThat(clients(jvm.run("lib=" + jvm.lib, boot, "-cp", jvm.classPath(jvm.application), MAIN)))
        .isEqualTo(ON_DECANT);
  }

  /** As with Spring Boot: Decant may be on the class path, but Apache's client is not. */
  private String launch(String options, String classPath) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("-cp", classPath, "app.Launcher", jvm.application.toString()));
    AgentJvm.kafka().forEach(jar -> arguments.add(jar.toString()));
    return jvm.run(options, arguments.toArray(String[]::new));
  }

  @Test
  void anApplicationInAClassLoaderOfItsOwnRunsOnDecant() throws Exception {
    assertThat(clients(launch("lib=" + jvm.lib, jvm.launcher.toString()))).isEqualTo(ON_DECANT);
    assertThat(clients(launch("", jvm.launcher + File.pathSeparator + jvm.decant))).isEqualTo(ON_DECANT);
  }

  @Test
  void anApplicationInAClassLoaderWithoutDecantRunsOnApachesClients() throws Exception {
    String output = launch("", jvm.launcher.toString());

    assertThat(clients(output)).isEqualTo(ON_APACHE);
    assertThat(output).contains("java.net.URLClassLoader").contains("name its jars by decant.agent.lib");
  }

  /** A named module does not read the unnamed module of the agent's classes by default. */
  @Test
  void anApplicationThatIsAModuleRunsOnDecant() throws Exception {
    Path sources = Files.createDirectories(directory.resolve("sources"));
    Path descriptor = Files.writeString(sources.resolve("module-info.java"),
        "module app { requires kafka.clients; exports app; }");
    Path classes = jvm.unpacked();
    String libraries = AgentJvm.kafka().stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    // This JVM may be older than the compiler.
    Jdk.compile(classes, "--release", "21", "--module-path", libraries, descriptor.toString());

    String path = classes + File.pathSeparator + libraries;
    assertThat(clients(jvm.run("lib=" + jvm.lib, "--module-path", path, "--add-modules",
        "org.slf4j,jdk.unsupported", "-m", "app/app.Main"))).isEqualTo(ON_DECANT);
    String without = jvm.run("lib=" + jvm.lib, "--module-path", path, "--add-modules", "org.slf4j", "-m",
        "app/app.Main");
    assertThat(clients(without)).isEqualTo(ON_APACHE);
    assertThat(without).contains("add --add-modules jdk.unsupported to its command line");
  }
}
