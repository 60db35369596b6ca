package dev.decant.brokers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.decant.kafka.security.SaslExchange;
import dev.decant.kafka.security.SaslMechanism;
import dev.decant.kafka.security.SaslPeer;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The mechanism that docs/security.md shows, compiled from that page: its signatures are those of botocore. */
@Timeout(60)
class MskIamExampleTest {
  private static final Path PAGE = Path.of("../../docs/security.md");
  private static final Pattern EXAMPLE = Pattern.compile("```java\\R((?:(?!```).)*class MskIam .*?)```",
      Pattern.DOTALL);
  private static final String HOST = "b-1.example.kafka.eu-central-1.amazonaws.com";

  @TempDir
  private Path directory = Path.of("");
  private @Nullable URLClassLoader loader;

  @AfterEach
  void close() throws IOException {
    if (loader != null) {
      loader.close();
    }
  }

  private SaslMechanism mechanism(String sessionToken) throws Exception {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    assumeThat(compiler).as("this Java runtime lacks the module jdk.compiler").isNotNull();
    Matcher page = EXAMPLE.matcher(Files.readString(PAGE));
    assertThat(page.find()).as("a block with the mechanism in %s", PAGE).isTrue();
    Path source = Files.writeString(directory.resolve("MskIam.java"), page.group(1));
    assertThat(compiler.run(null, null, null, "-proc:none", "-d", directory.toString(),
        "-cp", System.getProperty("java.class.path"), source.toString())).as("exit code of javac").isZero();
    loader = new URLClassLoader(new URL[] {directory.toUri().toURL()});
    Constructor<?> keys = loader.loadClass("MskIam$Keys").getDeclaredConstructors()[0];
    keys.setAccessible(true);
    Object made = keys.newInstance("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", sessionToken);
    assertThat(made).hasToString("AKIDEXAMPLE");
    Constructor<?> mechanism = loader.loadClass("MskIam").getDeclaredConstructors()[0];
    mechanism.setAccessible(true);
    Supplier<Object> supplier = () -> made;
    InstantSource clock = InstantSource.fixed(Instant.parse("2026-01-02T03:04:05Z"));
    return (SaslMechanism) mechanism.newInstance("eu-central-1", supplier, clock);
  }

  @Test
  void requestIsSignedAsAmazonsOwnLibraryDoes() throws Exception {
    SaslMechanism mechanism = mechanism("");
    assertThat(mechanism.name()).isEqualTo("AWS_MSK_IAM");
    try (SaslExchange exchange = mechanism.begin(new SaslPeer(HOST, 9098, true))) {
      assertThat(new String(exchange.initialResponse(), StandardCharsets.UTF_8))
          .isEqualTo("{\"version\":\"2020_10_22\","
              + "\"host\":\"" + HOST + "\",\"user-agent\":\"decant\",\"action\":\"kafka-cluster:Connect\","
              + "\"x-amz-algorithm\":\"AWS4-HMAC-SHA256\","
              + "\"x-amz-credential\":\"AKIDEXAMPLE/20260102/eu-central-1/kafka-cluster/aws4_request\","
              + "\"x-amz-date\":\"20260102T030405Z\",\"x-amz-expires\":\"900\",\"x-amz-signedheaders\":\"host\","
              + "\"x-amz-signature\":\"ebda6851ba4b6fa246e407a411943195a72b9fedcce5a3a60616d45433b5605c\"}");
      assertThat(exchange.isComplete()).isFalse();
      assertThat(exchange.respond("{\"request-id\":\"1\"}".getBytes(StandardCharsets.UTF_8))).isEmpty();
      assertThat(exchange.isComplete()).isTrue();
    }
  }

  @Test
  void tokenOfARoleIsSignedToo() throws Exception {
    try (SaslExchange exchange = mechanism("tok/en+1==").begin(new SaslPeer(HOST, 9098, true))) {
      assertThat(new String(exchange.initialResponse(), StandardCharsets.UTF_8))
          .contains("\"x-amz-security-token\":\"tok/en+1==\"")
          .contains("\"x-amz-signature\":\"123d48f3a7f8a897e715b912de55ccbe53506d55d759a6e4e39828fcd3d6afb4\"");
    }
  }
}
