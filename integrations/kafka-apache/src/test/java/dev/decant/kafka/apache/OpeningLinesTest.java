package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.cluster.ClientSoftware;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.MessageFormat;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** A log says which clients are Decant's. */
@Isolated("it reads what all clients of the JVM log")
class OpeningLinesTest {
  /** Records the log lines of clients of this test. */
  private static final class Kept extends Handler {
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();

    @Override
    @SuppressWarnings("ReferenceEquality") // a level is one object
    public void publish(LogRecord entry) {
      String text = MessageFormat.format(entry.getMessage(), entry.getParameters());
      if (entry.getLevel() == Level.INFO && text.contains("opening-lines")) {
        lines.add(text);
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  private static Queue<String> linesOf(Class<?> client, Runnable opened) {
    Kept kept = new Kept();
    Logger logger = Logger.getLogger(client.getName());
    logger.addHandler(kept);
    try {
      opened.run();
    } finally {
      logger.removeHandler(kept);
    }
    return kept.lines;
  }

  @Test
  void eachClientSaysWhatItIs() {
    assertThat(linesOf(DecantProducer.class, () -> new DecantProducer<>(
        Map.of("bootstrap.servers", "127.0.0.1:1", "client.id", "opening-lines-1"), new StringSerializer(),
        new StringSerializer()).close(Duration.ZERO))).containsExactly("Decant 0.1.0 producer opening-lines-1");
    assertThat(linesOf(DecantConsumer.class, () -> new DecantConsumer<>(
        Map.of("bootstrap.servers", "127.0.0.1:1", "client.id", "opening-lines-2"), new StringDeserializer(),
        new StringDeserializer()).close())).containsExactly("Decant 0.1.0 consumer opening-lines-2");
  }

  @Test
  void theReleaseIsThatOfTheBuild() throws Exception {
    Matcher version = Pattern.compile("<version>([0-9.]+)(-SNAPSHOT)?</version>")
        .matcher(Files.readString(Path.of("pom.xml")));

    assertThat(version.find()).isTrue();
    assertThat(ClientSoftware.VERSION).isEqualTo(version.group(1));
  }
}
