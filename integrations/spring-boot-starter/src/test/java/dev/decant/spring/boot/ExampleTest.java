package dev.decant.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fake.FakeCluster;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.serialization.Serdes;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.DefaultResourceLoader;

/** The project examples/spring-boot starts with its own properties: orders become bills, and bills become parcels. */
@Tag("full")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ExampleTest {
  private static final Path EXAMPLE = Path.of("../../examples/spring-boot/src/main");

  @TempDir
  Path classes;

  private void compile() throws IOException {
    List<String> arguments = new ArrayList<>(List.of("-proc:none", "-parameters", "-nowarn", "-d", classes.toString(),
        "-cp", System.getProperty("java.class.path")));
    try (Stream<Path> sources = Files.walk(EXAMPLE.resolve("java"))) {
      sources.map(Path::toString).filter(name -> name.endsWith(".java")).forEach(arguments::add);
    }
    assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new))).isZero();
    Files.copy(EXAMPLE.resolve("resources/application.properties"), classes.resolve("application.properties"));
  }

  @Test
  void anOrderIsBilledAndShipped() throws Exception {
    compile();
    try (FakeCluster kafka = FakeCluster.start(); // without topics: the application creates its own
        URLClassLoader loader = new URLClassLoader(new URL[] {classes.toUri().toURL()}, getClass().getClassLoader())) {
      SpringApplication application = new SpringApplication(new DefaultResourceLoader(loader),
          loader.loadClass("com.example.shop.Shop"));
      application.setWebApplicationType(WebApplicationType.NONE);
      application.setRegisterShutdownHook(false);
      Thread thread = Thread.currentThread();
      ClassLoader before = thread.getContextClassLoader();
      thread.setContextClassLoader(loader);
      try (ConfigurableApplicationContext shop = application.run("--KAFKA=" + kafka.bootstrap())) {
        assertThat(shop.isActive()).isTrue();
        assertThat(firstParcel(kafka.bootstrap())).matches("customer-\\d 100 apples"); // of several, in no order
      } finally {
        thread.setContextClassLoader(before);
      }
      assertThat(IntStream.range(0, 6).boxed().flatMap(partition -> kafka.log("parcels", partition).texts().stream()))
          .isNotEmpty().containsOnly("100 apples");
    }
  }

  private static String firstParcel(String bootstrap) throws InterruptedException {
    List<String> parcels = new ArrayList<>();
    try (KafkaClient client = KafkaClient.connect(bootstrap);
        Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string())
            .group("test").subscribe("parcels").offsetReset(OffsetReset.EARLIEST).open()) {
      while (parcels.isEmpty()) {
        consumer.poll(Duration.ofSeconds(1), record -> parcels.add(record.key() + " " + record.value()));
      }
    }
    return parcels.getFirst();
  }
}
