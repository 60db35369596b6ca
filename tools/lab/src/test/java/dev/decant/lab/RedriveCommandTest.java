package dev.decant.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fake.FakeCluster;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.serialization.Serdes;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that the command line sends dead letters back. */
@Timeout(60)
class RedriveCommandTest {
  @Test
  void sendsDeadLettersBackOnce(@TempDir Path directory) throws Exception {
    try (FakeCluster kafka = FakeCluster.builder().topic("orders", 1).topic("orders-dead", 1).topic("repair", 1)
        .start()) {
      try (KafkaClient client = KafkaClient.connect(kafka.bootstrap());
          Producer<String, String> dead = client.producer(Serdes.string(), Serdes.string()).topic("orders-dead")
              .open()) {
        SendOptions options = new SendOptions();
        options.headers().addText("dead-letter.topic", "orders");
        for (int i = 0; i < 3; i++) {
          dead.sendAndWait("key", "value-" + i, options);
        }
        dead.sendAndWait("key", "from nowhere");
      }
      Path config = Files.writeString(directory.resolve("client.properties"), "client.id=operator\n");
      assertThat(run(kafka, "--dry-run"))
          .isEqualTo("would redrive 3, and 1 have no topic that they come from, or have lost their value");
      assertThat(run(kafka, "--limit", "1", "--client-config", config.toString())).isEqualTo("redriven 1");
      assertThat(kafka.log("orders", 0).texts()).containsExactly("value-0");
      assertThat(run(kafka)).startsWith("redriven 2, and 1 ");
      assertThat(run(kafka)).isEqualTo("redriven 0");
      assertThat(kafka.log("orders", 0).texts()).containsExactly("value-0", "value-1", "value-2");
      assertThat(run(kafka, "--group", "again", "--to", "repair", "--keep-timestamps")).isEqualTo("redriven 4");
      assertThat(kafka.log("repair", 0).records()).hasSize(4);

      CommandLines missing = new CommandLines();
      assertThat(missing.run("redrive", "--broker", kafka.bootstrap(), "--topic", "nowhere")).isEqualTo(3);
      assertThat(missing.err().strip()).isEqualTo("decant: there is no topic nowhere with dead letters");
    }
  }

  /** The flags of this JVM are not the user's: warnings about them stood above each result. */
  @Test
  void warnsOfNothingInItsOwnJvm(@TempDir Path directory) throws Exception {
    try (FakeCluster kafka = FakeCluster.builder().topic("orders-dead", 1).start();
        CommandInAJvm command = new CommandInAJvm(directory, "redrive", "--broker", kafka.bootstrap(), "--topic",
            "orders-dead")) {
      assertThat(command.end()).isZero();
      assertThat(command.outputSoFar()).isEmpty();
    }
  }

  private static String run(FakeCluster kafka, String... more) {
    CommandLines lines = new CommandLines();
    String[] all = new String[5 + more.length];
    System.arraycopy(new String[] {"redrive", "--broker", kafka.bootstrap(), "--topic", "orders-dead"}, 0, all, 0, 5);
    System.arraycopy(more, 0, all, 5, more.length);
    assertThat(lines.run(all)).as(lines.err()).isZero();
    return lines.out().strip();
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "redrive --topic dead|Missing required option: '--broker=HOST:PORT'",
      "redrive --broker here --topic dead|--broker must be HOST:PORT, or several with commas, not \"here\"",
      "redrive --broker h:1 --topic dead --limit 0|--limit must be 1 or more, not 0",
      "redrive --broker h:1 --topic dead --limit x|is not a long",
      "redrive --broker h:1 --topic dead --client-config /no/such/file|there is no /no/such/file"})
  void wrongUsageIsOneLine(String arguments, String message) {
    CommandLines lines = new CommandLines();
    assertThat(lines.run(arguments.split(" ", -1))).isIn(2, 3);
    assertThat(lines.err().lines()).hasSize(1).first().asString().contains(message);
  }
}
