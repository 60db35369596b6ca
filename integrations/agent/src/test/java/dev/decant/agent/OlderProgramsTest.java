package dev.decant.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.agent.asm.Opcodes;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs by compilers of older releases of Java: their class files differ, and the agent changes all of them. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class OlderProgramsTest {
  /** Number of clients that {@code Program} constructs. */
  private static final int CLIENTS = 20;
  /** Objects of classes below Apache's, which are Decant's only in a JVM with the agent. */
  private static final int BELOW = 2;

  @TempDir
  private Path directory = Path.of("");

  @ParameterizedTest
  @ValueSource(ints = {8, 11, 17, 21})
  void clientsAreDecantsInAProgramOfEachRelease(int release) throws Exception {
    Path classes = CompiledProgram.of(release, directory);
    byte[] classFile = Files.readAllBytes(classes.resolve("program/Program.class"));
    assertThat(ByteBuffer.wrap(classFile).getInt(4)).as("version").isEqualTo(Opcodes.V1_8 + release - 8);
    Construction.use(new Switch(List.of(), new ApacheClasses(List.of()), new AgentLog(AgentOptions.Detail.OFF)));

    ChangingLoader loader = new ChangingLoader(new URLClassLoader(new URL[] {classes.toUri().toURL()},
        ChangingLoader.class.getClassLoader()), "program.");
    List<?> clients = (List<?>) loader.loadClass(CompiledProgram.MAIN).getMethod("clients").invoke(null);

    assertThat(clients).hasSize(CLIENTS).allMatch(client -> client.getClass().getName().endsWith("OnDecant"));
    assertThat(loader.reasons).isEmpty();
    assertThat(loader.changed).contains("program.Program", "program.Program$Factory", "program.Program$Inner");
  }

  private void runsOnDecant(Path java, int release) throws Exception {
    AgentJvm jvm = new AgentJvm(directory, java);
    Path classes = CompiledProgram.of(release, directory);

    List<String> clients = jvm.run("log=off", "-cp", jvm.classPath(classes, jvm.decant), CompiledProgram.MAIN).lines()
        .toList();

    assertThat(clients).hasSize(CLIENTS + BELOW).allMatch(line -> line.matches(
        "client dev[.]decant[.]agent[.]Kafka(Producer|Consumer)OnDecant"));
  }

  @Test
  void aProgramOfJava8RunsOnDecant() throws Exception {
    runsOnDecant(Jdk.java(), 8);
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(ints = {11, 17, 21})
  void aProgramOfALaterReleaseRunsOnDecant(int release) throws Exception {
    runsOnDecant(Jdk.java(), release);
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(ints = {8, 11, 17, 21})
  void aProgramRunsOnDecantOnJava21(int release) throws Exception {
    runsOnDecant(Jdk.java21(), release);
  }

  /** A JVM whose agent cannot be loaded does not start the program. */
  @Tag("full")
  @Test
  void aProgramOnAnOlderJavaRunsOnApachesClients() throws Exception {
    AgentJvm jvm = new AgentJvm(directory, Jdk.olderThan21());
    Path classes = CompiledProgram.of(8, directory);

    List<String> lines = jvm.run("", "-cp", jvm.classPath(classes, jvm.decant), CompiledProgram.MAIN).lines().toList();

    assertThat(lines.getFirst()).startsWith("decant-agent needs Java 21 or newer, and this is Java 1")
        .endsWith(": Apache's clients stay in use.");
    assertThat(lines.subList(1, lines.size())).hasSize(CLIENTS + BELOW).allMatch(line -> line.matches(
        "client org[.]apache[.]kafka[.]clients[.].*[.]Kafka(Producer|Consumer)"));
  }
}
