package dev.decant.lab.fix;

import dev.decant.fix.dictionary.Dictionary;
import dev.decant.testkit.RepositoryJars;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;

/** The dictionaries in QuickFIX/J's jar in the local repository. */
public final class QuickFixDictionaries {
  private static final Map<String, String> APPLICATIONS = Map.of("7", "FIX50", "8", "FIX50SP1", "9", "FIX50SP2", "10",
      "FIXLatest");

  private final Path jar;
  private final Map<String, Dictionary> loaded = new HashMap<>();

  private QuickFixDictionaries(Path jar) {
    this.jar = jar;
  }

  /**
   * Finds the jar.
   *
   * @return its path
   * @throws dev.decant.testkit.ClusterException if it is missing; the message says how to fetch it
   */
  static String jar() {
    return RepositoryJars.locate(FixJvm.class, "quickfixj.classpath", FixJvm.QUICKFIXJ).stream()
        .filter(path -> path.contains("quickfixj-messages-all")).findFirst()
        .orElseThrow(() -> new IllegalStateException("QuickFIX/J's class path has no dictionaries"));
  }

  /**
   * Opens the jar in the local repository.
   *
   * @return the dictionaries; none is read yet
   * @throws dev.decant.testkit.ClusterException if the jar is missing; the message says how to fetch it
   */
  public static QuickFixDictionaries open() {
    return of(Path.of(jar()));
  }

  /** Returns the dictionaries of a jar. */
  static QuickFixDictionaries of(Path jar) {
    return new QuickFixDictionaries(jar);
  }

  /**
   * Reads the dictionary of a session's version.
   *
   * @param beginString BeginString(8)
   * @return the dictionary
   * @throws IOException if it cannot be read
   */
  public Dictionary ofVersion(String beginString) throws IOException {
    return load(beginString.replace(".", ""));
  }

  /**
   * Reads the dictionary of an application's version.
   *
   * @param applVerId ApplVerID(1128)
   * @return the dictionary
   * @throws IOException if it cannot be read
   */
  public Dictionary ofApplication(String applVerId) throws IOException {
    return load(APPLICATIONS.getOrDefault(applVerId, applVerId));
  }

  private Dictionary load(String name) throws IOException {
    Dictionary known = loaded.get(name);
    if (known != null) {
      return known;
    }
    try (JarFile file = new JarFile(jar.toFile())) {
      ZipEntry entry = file.getEntry(name + ".xml");
      if (entry == null) {
        throw new IOException(jar + " has no dictionary " + name);
      }
      Dictionary dictionary = Dictionary.load(file.getInputStream(entry), name);
      loaded.put(name, dictionary);
      return dictionary;
    }
  }
}
