/* lang_names.h: what the names in a formula stand for.
 *
 * CONTRACT. A stack of names, each of one kind; a name means one thing at a
 * place: nothing is shadowed. Checking a formula finds names and calls that
 * mean nothing, or something else, so that a bad formula is an error of the
 * file it stands in, with the nearest spelling as a hint.
 */
#ifndef SP_ENCODE_LANG_NAMES_H
#define SP_ENCODE_LANG_NAMES_H

#include "base/vec.h"
#include "encode/lang.h"

typedef enum sp_lang_name_kind {
  SP_LANG_IS_TENSOR,
  SP_LANG_IS_VALUE, /* also sizes, variables */
  SP_LANG_IS_LIST,
  SP_LANG_IS_FUNCTION,
  SP_LANG_IS_AXIS, /* of a mesh */
} sp_lang_name_kind;

typedef struct sp_lang_name_row {
  const char *name;
  sp_lang_name_kind kind;
} sp_lang_name_row;

typedef struct sp_lang_names {
  sp_ctx *ctx;
  const char *guide; /* hint: where functions are listed */
  /* A hint for a name that is not there, or NULL; may be NULL itself. */
  const char *(*elsewhere)(void *user, const char *name);
  void *user;
  SP_VEC(sp_lang_name_row) rows;
} sp_lang_names;

/* NULL: not there. */
const sp_lang_name_row *sp_lang_names_find(const sp_lang_names *names,
                                           const char *name);
/* Raises where the name has a meaning. */
void sp_lang_names_add(sp_lang_names *names, const char *name,
                       sp_lang_name_kind kind, sp_loc loc);
/* many: several of them may be spread. */
void sp_lang_names_add_vars(sp_lang_names *names, uint32_t n,
                            const sp_lang_var *vars, bool many);
/* Every name in the formula is there and of the right kind. */
void sp_lang_names_check(sp_lang_names *names, const sp_lang *e);
/* Raises: the name is there, and is something else than what stands here. */
noreturn void sp_lang_names_misused(const sp_lang_names *names,
                                    const sp_lang_name_row *row, sp_loc loc);
/* The word that is spelled most like it, or NULL. */
const char *sp_lang_nearest(const char *name, const char *const *words,
                            size_t n);
/* "did you mean NAME?", what there is, or NULL. */
const char *sp_lang_names_hint(const sp_lang_names *names, const char *name,
                               bool function);

#endif
