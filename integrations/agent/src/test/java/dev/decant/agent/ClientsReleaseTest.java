package dev.decant.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A program with a kafka-clients that is too old keeps Apache's clients: Decant's consumer failed in poll there. */
class ClientsReleaseTest {
  @TempDir
  private Path directory;

  private String tooOld(String file) throws IOException {
    try (URLClassLoader loader = loader(file)) {
      return ClientsRelease.tooOld(ApacheClass.published(ClientKind.PRODUCER), loader);
    }
  }

  private URLClassLoader loader(String file) throws IOException {
    Path target = directory.resolve(ClientsRelease.FILE);
    Files.createDirectories(target.getParent());
    Files.write(target, file.getBytes(StandardCharsets.ISO_8859_1));
    return new URLClassLoader(new URL[] {directory.toUri().toURL()}, null);
  }

  @ParameterizedTest
  @ValueSource(strings = {"3.6.2", "2.8.0", "1.0.0-rc1", "0.11.0.3", "7.6.0-ccs", "6.2.1-ce"})
  void olderReleaseIsNamed(String release) throws IOException {
    assertThat(tooOld("commitId=abc\nversion=" + release)).isEqualTo("the program has kafka-clients " + release
        + ", and Decant takes 3.7 and newer");
  }

  @ParameterizedTest
  @ValueSource(strings = {"3.7.0", "3.9.1", "4.0.0-SNAPSHOT", "4.4.0", "10.0", "7.7.1-ccs", "8.0.0-ce"})
  void newerReleaseIsTaken(String release) throws IOException {
    assertThat(tooOld("version=" + release)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "version=", "version=unknown", "version=99999999999.1", "version=\\u00zz"})
  void jarThatDoesNotSayItsReleaseIsTaken(String file) throws IOException {
    assertThat(tooOld(file)).isEmpty();
  }

  @Test
  void loaderWithoutTheFileIsTaken() throws IOException {
    try (URLClassLoader loader = new URLClassLoader(new URL[0], null)) {
      assertThat(ClientsRelease.tooOld(ApacheClass.published(ClientKind.PRODUCER), loader)).isEmpty();
    }
    assertThat(ClientsRelease.tooOld(ApacheClass.published(ClientKind.PRODUCER), null)).isEmpty();
  }

  /** The agent checks the members that Decant calls in that release. */
  @ParameterizedTest
  @ValueSource(strings = {"4.5.0", "5.0.0-SNAPSHOT", "8.5.0-ccs"})
  void releaseThatDecantWasNotTestedWithIsNewer(String release) throws IOException {
    try (URLClassLoader loader = loader("version=" + release)) {
      assertThat(ClientsRelease.isNewerThanTested(loader, false)).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"4.4.0", "3.9.1", "8.4.1-ccs", "unknown"})
  void releaseThatDecantWasTestedWithIsNotNewer(String release) throws IOException {
    try (URLClassLoader loader = loader("version=" + release)) {
      assertThat(ClientsRelease.isNewerThanTested(loader, false)).isFalse();
    }
  }
}
