#!/bin/sh
# A bot of a few lines: doll.sh DATA STEP FAULTS WORDS. Its rows are the files step, received and said in DATA.
set -eu
cd "$1" && its_step=$2 && faults=" $3 " && shift 3
step=$(cat step 2>/dev/null || echo 0)
received=$(cat received 2>/dev/null || echo 0)
running=$(cat state 2>/dev/null || true)
has() { case $faults in *" $1 "*) ;; *) return 1 ;; esac }
newer() { [ "$step" -gt "$its_step" ] && echo "it is of a newer version" >&2 && exit 2; true; }
packed() { tar --create --gzip --owner 0 --group 0 "$@"; }
case $1 in
run)
    newer
    has dies && exit 0
    echo "$its_step" >step.new && mv step.new step
    if has talks; then echo $((received + 1)) >received; fi
    echo "running by $its_step" >state
    ;;
stop) : >state ;;
health)
    if [ "$step" -gt "$its_step" ]; then
        echo '{"healthy": false, "problems": ["it is of a newer version"], "rows": null}'
        exit 1
    fi
    [ "$step" = "$its_step" ] && numbers="\"received\": $received, \"said\": $received, \"unsent\": 0" ||
        numbers='"received": null, "said": null, "unsent": null'
    case $running in running*) process='"1"' ;; *) process=null ;; esac
    if has unwell || [ "$process" = null ] || grep -q bad ../secrets/model__api_key; then
        well=false problems='["it is unwell"]'
    else
        well=true problems='[]'
    fi
    echo "{\"healthy\": $well, \"problems\": $problems, \"process\": $process, \"version\": \"$its_step.0\"," \
        "\"budget\": {\"spent_usd\": 0.5, \"limit_usd\": 2}, \"rows\": {\"step\": $step, $numbers}}"
    ;;
backup)
    has secretive && echo "it cannot be copied" >&2 && exit 3
    place=$(mktemp -d)
    trap 'rm -r "$place"' EXIT
    cp step "$place/step" && echo "$received" >"$place/received"
    echo "{\"format\": \"retinue back-up\", \"version\": \"$its_step.0\", \"made_at\": \"2026-11-22T10:00:00+00:00\", \"step\": $step," \
        "\"conversations\": 1, \"messages\": $received, \"newest\": null, \"has_secrets\": false}" >"$place/manifest.json"
    echo '{"files": 4, "left_out_in_all": 0}' >"$place/contents.json"
    cd "$place" && packed manifest.json step received contents.json
    ;;
restore)
    case " $* " in *" --as-is "*) ;; *) : >told ;; esac
    place=$(mktemp -d)
    trap 'rm -r "$place"' EXIT
    tar --extract --gzip --file - --directory "$place"
    [ "$(cat "$place/step")" -le "$its_step" ]
    cp "$place/received" received && cp "$place/step" step
    ;;
migrate)
    has faulty && echo "wrong    rows: they cannot be migrated" && exit 1
    newer
    echo "$its_step" >step.new && mv step.new step
    echo "ok       rows"
    ;;
--version) echo "retinue $its_step.0" ;;
*) echo "what is $1?" >&2 && exit 2 ;;
esac
