package dev.decant.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jars out of the jar, whole or not at all. */
class LauncherTest {
  @TempDir
  private Path directory = Path.of("");

  private Path jar(Map<String, String> entries) throws IOException {
    Path jar = directory.resolve("decant.jar");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
      for (Map.Entry<String, String> entry : entries.entrySet()) {
        out.putNextEntry(new ZipEntry(entry.getKey()));
        out.write(entry.getValue().getBytes(StandardCharsets.UTF_8));
      }
    }
    return jar;
  }

  @Test
  void whatIsMissingOrCutOffIsUnpackedAndNothingElse() throws IOException {
    Path jar = jar(Map.of("class-path.txt", "./a.jar", "repository/x/a.jar", "aaaa", "repository/y/b.jar", "bbbb",
        "dev/decant/launch/Launcher.class", "code"));
    Path folder = Launcher.unpack(jar, directory);
    assertThat(folder.resolve("repository/x/a.jar")).hasContent("aaaa");
    assertThat(folder.resolve("class-path.txt")).hasContent("./a.jar");
    assertThat(folder.resolve("dev")).doesNotExist();

    Files.writeString(folder.resolve("repository/x/a.jar"), "aa"); // the disk was full
    Files.writeString(folder.resolve("repository/y/b.jar"), "BBBB");
    assertThat(Launcher.unpack(jar, directory)).isEqualTo(folder);
    assertThat(folder.resolve("repository/x/a.jar")).hasContent("aaaa");
    assertThat(folder.resolve("repository/y/b.jar")).as("of the right size").hasContent("BBBB");
    assertThat(folder.resolve("repository/x")).isDirectoryNotContaining("glob:**part*");
  }

  /** A later build whose jars had the lengths of an earlier one's ran the earlier classes. */
  @Test
  void anotherBuildOfTheSameLengthIsUnpackedIntoAFolderOfItsOwn() throws IOException {
    Path earlier = Launcher.unpack(jar(Map.of("class-path.txt", "./a.jar", "repository/x/a.jar", "1111")), directory);
    Path later = Launcher.unpack(jar(Map.of("class-path.txt", "./a.jar", "repository/x/a.jar", "2222")), directory);
    assertThat(later.resolve("repository/x/a.jar")).hasContent("2222");
    assertThat(earlier.resolve("repository/x/a.jar")).as("which may run now").hasContent("1111");
  }

  @Test
  void anEntryThatLeadsOutOfTheFolderIsRefused() throws IOException {
    Path jar = jar(Map.of("class-path.txt", "./a.jar", "repository/../../../evil.jar", "x"));
    assertThatThrownBy(() -> Launcher.unpack(jar, directory.resolve("cache"))).isInstanceOf(IOException.class)
        .hasMessageContaining("leads out of the folder");
    assertThat(directory.resolve("evil.jar")).doesNotExist();
  }

  @Test
  void versionsOfJavaAreRead() {
    assertThat(Launcher.feature("1.8")).isEqualTo(8);
    assertThat(Launcher.feature("11")).isEqualTo(11);
    assertThat(Launcher.feature("25")).isEqualTo(25);
  }
}
