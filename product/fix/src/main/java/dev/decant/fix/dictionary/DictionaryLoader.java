package dev.decant.fix.dictionary;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Loads dictionaries in QuickFIX's XML format. A lenient loader, the default of {@link Dictionary#load(Path)}, accepts
 * mistakes that dictionaries in use have and that do not prevent their use. Examples are a field that is listed twice,
 * an unknown datatype, or a data field without a length field. It logs one warning with all of them, and
 * {@link Dictionary#warnings()} returns them. A strict loader refuses these files. Immutable: any thread.
 */
public final class DictionaryLoader {
  private static final System.Logger LOG = System.getLogger(Dictionary.class.getName());
  private static final DictionaryLoader LENIENT = new DictionaryLoader(false);
  private static final DictionaryLoader STRICT = new DictionaryLoader(true);

  private final boolean isStrict;

  private DictionaryLoader(boolean isStrict) {
    this.isStrict = isStrict;
  }

  /**
   * Returns a loader that accepts mistakes which do not prevent the use of the dictionary.
   *
   * @return a shared instance
   */
  public static DictionaryLoader lenient() {
    return LENIENT;
  }

  /**
   * Returns a loader that refuses a file with any mistake.
   *
   * @return a shared instance
   */
  public static DictionaryLoader strict() {
    return STRICT;
  }

  /**
   * Loads a file.
   *
   * @param file in QuickFIX's XML format
   * @return the dictionary
   * @throws DictionaryException if the file cannot be read, or is no dictionary; the message lists all mistakes
   */
  public Dictionary load(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      return load(in, file.toString(), file.toAbsolutePath().normalize());
    } catch (IOException e) {
      throw new DictionaryException(file + ": the file cannot be read (" + e + "); correct the path or its rights", e);
    }
  }

  /**
   * Loads a stream.
   *
   * @param in in QuickFIX's XML format; it is read to its end and not closed
   * @param name the name of the source, for errors
   * @return the dictionary
   * @throws DictionaryException if the stream cannot be read, or is no dictionary; the message lists all mistakes
   */
  public Dictionary load(InputStream in, String name) {
    return load(in, name, null);
  }

  /**
   * Loads a resource of the class path. The thread's context class loader finds it.
   *
   * @param resource its path, such as {@code FIX44.xml}
   * @return the dictionary
   * @throws DictionaryException if there is no such resource, or it is no dictionary; the message lists all mistakes
   */
  public Dictionary loadResource(String resource) {
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    ClassLoader loader = context == null ? ClassLoader.getSystemClassLoader() : context;
    try (InputStream in = loader.getResourceAsStream(resource)) {
      if (in == null) {
        throw new DictionaryException(resource + ": the class path has no such resource; correct the name");
      }
      return load(in, resource, null);
    } catch (IOException e) {
      throw new DictionaryException(resource + ": the resource cannot be read (" + e + ")", e);
    }
  }

  private Dictionary load(InputStream in, String name, @Nullable Path file) {
    DictionaryProblems problems = new DictionaryProblems(name, isStrict);
    DictionaryCompiler compiled = new DictionaryCompiler(DictionaryXml.read(in, problems), problems);
    problems.check();
    List<String> letPass = problems.letPass();
    if (!letPass.isEmpty()) {
      LOG.log(System.Logger.Level.WARNING, () -> "dictionary " + name
          + " has mistakes that were let pass; correct them, or ignore this:\n  " + String.join("\n  ", letPass));
    }
    return new Dictionary(compiled, name, file, letPass);
  }
}
