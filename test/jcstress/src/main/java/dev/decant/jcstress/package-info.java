/** jcstress tests of core; CONTRIBUTING.md has the command that runs them. */
@NullMarked
package dev.decant.jcstress;

import org.jspecify.annotations.NullMarked;
